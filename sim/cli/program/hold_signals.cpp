#include "sim/cli/program/hold_signals.h"

namespace servecast {

HoldSignals::HoldSignals() {
  sigemptyset(&held_);
  for (std::size_t i = 0; i < signals.size(); ++i) {
    sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler != SIG_IGN) sigaddset(&held_, signals[i]);  // nohup: ignored stays ignored
  }
  pthread_sigmask(SIG_BLOCK, &held_, &mask_before_);
}

HoldSignals::~HoldSignals() {
  for (std::size_t i = 0; i < signals.size(); ++i) sigaction(signals[i], &before_[i], nullptr);
  pthread_sigmask(SIG_SETMASK, &mask_before_, nullptr);
}

bool HoldSignals::pending() const {
  sigset_t waiting;
  sigpending(&waiting);
  for (const int signal_number : signals)
    if (sigismember(&waiting, signal_number) == 1 && sigismember(&held_, signal_number) == 1) return true;
  return false;
}

}  // namespace servecast
