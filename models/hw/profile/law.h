#pragma once
#include "models/base/fields.h"

namespace servecast {

/// What one call of an operator has to do.
struct KernelWork {
  double flop = 0;
  double bytes = 0;  // moved, counted once
  double ramp = 0;   // 1 / length of the rows that are worked through: short ones reach less of either rate
};

struct LawTime {
  double seconds = 0;
  double compute_s = 0;  // the part that arithmetic bounds
};

/// The physics of every operator: launch + (1 + ramp_length ramp) (c^p + b^p)^(1/p), c = flop / flop_per_s, b = bytes
/// / bytes_per_s, p = sharpness. The arithmetic's share of what follows the launch is c^p / (c^p + b^p). A rate of 0
/// stands for an operator that has no such part. Leaves out waves: the residual grid holds those.
struct KernelLaw {
  double launch_s = 0;
  double flop_per_s = 0;
  double bytes_per_s = 0;
  double sharpness = 1;
  double ramp_length = 0;

  LawTime operator()(const KernelWork& work) const;

  void fields(Fields& f) {
    f.required("launch_s", launch_s, "time of a call with nothing to do");
    f.required("flop_per_s", flop_per_s, "rate where arithmetic bounds; 0: it does none");
    f.required("bytes_per_s", bytes_per_s, "rate where memory or the link bounds; 0: it moves none");
    f.required("sharpness", sharpness, "exponent p of the change between both", positive);
    f.field("ramp_length", ramp_length, "row length at which half of the rates is reached");
  }
};

}  // namespace servecast
