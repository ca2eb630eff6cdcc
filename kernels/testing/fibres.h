#pragma once
#include <csetjmp>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace servecast::emulation {

/// Functions that take turns on one thread of the host. Each has a stack of its own, kept for the next run. A context
/// of <ucontext.h> is started once per fibre and run; turns after that are jumps, which need no system call.
class Fibres {
 public:
  /// Runs `body` in fibres 0 to `count` - 1. `before` gets the number of the one about to go on; `after_round` is
  /// called when none can, wakes those that may and says whether any did. Throws std::logic_error where it wakes
  /// none, or with what failed.
  struct Hooks {
    std::function<void(int)> before;
    std::function<bool()> after_round;
  };
  void run(int count, bool backward, const std::function<void()>& body, const Hooks& hooks);

  /// For the fibre that runs: leaves it asleep until wake().
  void sleep();
  void wake(int fibre) { fibres_[static_cast<std::size_t>(fibre)].awake = true; }
  bool ended(int fibre) const { return fibres_[static_cast<std::size_t>(fibre)].ended; }
  int current() const { return current_; }
  /// For the fibre that runs: ends the whole run with `what`.
  void fail(const char* what);

 private:
  struct Fibre {
    std::jmp_buf place{};
    std::unique_ptr<char[]> stack;
    void* own_fakes = nullptr;  // AddressSanitizer's
    bool begun = false;
    bool awake = false;
    bool ended = false;
  };
  static void start();
  void go_on(Fibre& fibre);
  int round(int count, bool backward, const std::function<void(int)>& before);

  std::vector<Fibre> fibres_;
  std::jmp_buf scheduler_{};
  const void* scheduler_stack_ = nullptr;  // for AddressSanitizer
  std::size_t scheduler_bytes_ = 0;
  const std::function<void()>* body_ = nullptr;
  int current_ = 0;
  std::string failure_;
};

/// The one that runs: a fibre's start has no argument.
Fibres& fibres();

}  // namespace servecast::emulation
