#pragma once
#include <signal.h>

#include <array>

namespace servecast {

/// While it lives, Ctrl-C, SIGTERM and SIGHUP wait: a long computation asks pending() and stops in good order. Its
/// end lets them through, to the handlers of before; a library that changed that in between is undone.
class HoldSignals {
 public:
  HoldSignals();
  ~HoldSignals();
  HoldSignals(const HoldSignals&) = delete;
  HoldSignals& operator=(const HoldSignals&) = delete;

  bool pending() const;

 private:
  static constexpr std::array<int, 3> signals{SIGINT, SIGTERM, SIGHUP};
  sigset_t held_{};
  sigset_t mask_before_{};
  std::array<struct sigaction, signals.size()> before_{};
};

}  // namespace servecast
