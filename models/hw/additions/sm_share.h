#pragma once
#include "models/hw/latency/step_latency.h"

namespace servecast {

/// Shares of a GPU's SMs that two processes may use, one for prompts and one for decodes. They may add to more than
/// 1: what is above belongs to both.
struct SmShares {
  double prefill = 1;
  double decode = 1;
  bool operator==(const SmShares&) const = default;
};

/// A step of one process, as it would run alone with all SMs, and the share it may use.
struct SharedStep {
  StageTime full{};
  double share = 1;
};

/// How much longer memory-bound work takes with a share of the SMs: an SM keeps so many loads in flight, so fewer of
/// them reach less of the bandwidth. semi-PD (arXiv 2504.19867) measures decodes of Llama-3-8B on an A100 at
/// 0.6284 / share + 0.3818 (R^2 0.9955): 1.6 times with half of the SMs. Scaled to 1 with all SMs.
double memory_stretch(double share);

/// The step with a share of the SMs to itself: arithmetic goes with their number, memory traffic and launches as
/// above, and the host takes its time whatever the share. Requires 0 < share <= 1.
StageTime at_share(StageTime full, double share);

/// What a step has of the SMs while the other runs: those that only it may use, and of those that both may use the
/// time in which its kernels run there. Nothing divides these: the hardware gives out all thread blocks of a kernel
/// before those of the next (Amert et al., RTSS 2017), so kernels of the two take turns. Both go through the same
/// layers, hence as many kernels, so the time is in proportion to the two steps' times. Two with all SMs each take as
/// long as one after the other.
double share_beside(const SharedStep& mine, const SharedStep& other);

/// The step while the other runs: with its share as above, and where both together would move more than the memory
/// can, memory traffic of both grows by what is too much. While the other waits for its host, this one has its whole
/// share to itself; it is as fast as that makes it on average.
StageTime beside(const SharedStep& mine, const SharedStep& other);

}  // namespace servecast
