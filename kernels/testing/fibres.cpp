#include "kernels/testing/fibres.h"

#include <ucontext.h>

#include <stdexcept>

namespace servecast::emulation {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

}  // namespace

Fibres& fibres() {
  static Fibres all;
  return all;
}

void Fibres::start() {
  Fibres& all = fibres();
  (*all.body_)();
  all.fibres_[static_cast<std::size_t>(all.current_)].ended = true;
  all.sleep();
}

void Fibres::go_on(Fibre& fibre) {
  if (_setjmp(scheduler_) != 0) return;  // the fibre sleeps
  if (fibre.begun) _longjmp(fibre.place, 1);
  fibre.begun = true;
  ucontext_t context;
  getcontext(&context);
  context.uc_stack.ss_sp = fibre.stack.get();
  context.uc_stack.ss_size = stack_bytes;
  context.uc_link = nullptr;
  makecontext(&context, start, 0);
  setcontext(&context);
}

int Fibres::round(int count, bool backward, const std::function<void(int)>& before) {
  int ended = 0;
  for (int i = 0; i < count; ++i) {
    current_ = backward ? count - 1 - i : i;
    Fibre& fibre = fibres_[static_cast<std::size_t>(current_)];
    if (fibre.awake && !fibre.ended) {
      fibre.awake = false;
      before(current_);
      go_on(fibre);
      if (!failure_.empty()) throw std::logic_error(failure_);
    }
    ended += fibre.ended ? 1 : 0;
  }
  return ended;
}

void Fibres::run(int count, bool backward, const std::function<void()>& body, const Hooks& hooks) {
  body_ = &body;
  failure_.clear();
  if (fibres_.size() < static_cast<std::size_t>(count)) fibres_.resize(static_cast<std::size_t>(count));
  for (int i = 0; i < count; ++i) {
    Fibre& fibre = fibres_[static_cast<std::size_t>(i)];
    if (!fibre.stack) fibre.stack = std::make_unique<char[]>(stack_bytes);
    fibre.awake = true;
    fibre.begun = fibre.ended = false;
  }
  while (round(count, backward, hooks.before) < count)
    if (!hooks.after_round()) throw std::logic_error("threads wait for others that never come");
}

void Fibres::sleep() {
  if (_setjmp(fibres_[static_cast<std::size_t>(current_)].place) == 0) _longjmp(scheduler_, 1);
}

void Fibres::fail(const std::string& what) {
  failure_ = what;
  sleep();
}

}  // namespace servecast::emulation
