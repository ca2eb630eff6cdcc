#include "kernels/testing/fibres.h"

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

void Fibres::prepare(Fibre& fibre) {
  if (!fibre.stack) fibre.stack = std::make_unique<char[]>(stack_bytes);
  getcontext(&fibre.context);
  fibre.context.uc_stack.ss_sp = fibre.stack.get();
  fibre.context.uc_stack.ss_size = stack_bytes;
  fibre.context.uc_link = nullptr;
  makecontext(&fibre.context, start, 0);
  fibre.awake = true;
  fibre.ended = false;
}

int Fibres::round(int count, bool backward, const std::function<void(int)>& before) {
  int ended = 0;
  for (int i = 0; i < count; ++i) {
    current_ = backward ? count - 1 - i : i;
    Fibre& fibre = fibres_[static_cast<std::size_t>(current_)];
    if (fibre.awake && !fibre.ended) {
      fibre.awake = false;
      before(current_);
      swapcontext(&scheduler_, &fibre.context);
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
  for (int i = 0; i < count; ++i) prepare(fibres_[static_cast<std::size_t>(i)]);
  while (round(count, backward, hooks.before) < count)
    if (!hooks.after_round()) throw std::logic_error("threads wait for others that never come");
}

void Fibres::sleep() { swapcontext(&fibres_[static_cast<std::size_t>(current_)].context, &scheduler_); }

void Fibres::fail(const std::string& what) {
  failure_ = what;
  sleep();
}

}  // namespace servecast::emulation
