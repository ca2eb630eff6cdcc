#pragma once
#include <set>

#include "calibrate/measure/cuda/libraries/clocks.h"

namespace servecast {

/// Sees to it that no other process computes on a GPU while it is measured.
class IdleGpu {
 public:
  /// Before this process opens the GPU: looks at it for two seconds, or until it idles. Throws DeviceError where
  /// others keep it busy.
  explicit IdleGpu(Clocks& clocks);

  /// This process has opened it: a new process on it is this one.
  void opened();
  /// False where the driver does not say which process this is; then check() looks at nothing.
  bool knows_us() const { return !ours_.empty(); }
  /// Throws DeviceError where another process has computed since the last call.
  void check();

 private:
  Clocks& clocks_;
  std::set<unsigned> others_;  // that were there before
  std::set<unsigned> ours_;
};

}  // namespace servecast
