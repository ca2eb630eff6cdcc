#include "kernels/testing/fibres.h"

#include <ucontext.h>

#include <stdexcept>

#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace servecast::emulation {
namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

// AddressSanitizer wants to know whose stack it is on.
#ifdef __SANITIZE_ADDRESS__
void leave_for(void** own_fakes, const void* stack, std::size_t bytes) {
  __sanitizer_start_switch_fiber(own_fakes, stack, bytes);
}
void arrive(void* own_fakes, const void** from, std::size_t* bytes) {
  __sanitizer_finish_switch_fiber(own_fakes, from, bytes);
}
void forget_frames(const void* stack) { __asan_unpoison_memory_region(stack, stack_bytes); }
#else
void leave_for(void**, const void*, std::size_t) {}
void arrive(void*, const void**, std::size_t*) {}
void forget_frames(const void*) {}
#endif

}  // namespace

Fibres& fibres() {
  static Fibres all;
  return all;
}

void Fibres::start() {
  Fibres& all = fibres();
  arrive(nullptr, &all.scheduler_stack_, &all.scheduler_bytes_);
  (*all.body_)();
  all.fibres_[static_cast<std::size_t>(all.current_)].ended = true;
  all.sleep();
}

void Fibres::go_on(Fibre& fibre) {
  void* own_fakes = nullptr;
  void** const own = &own_fakes;
  if (_setjmp(scheduler_) != 0) return arrive(*own, nullptr, nullptr);  // the fibre sleeps
  leave_for(own, fibre.stack.get(), stack_bytes);
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
    forget_frames(fibre.stack.get());
    fibre.awake = true;
    fibre.begun = fibre.ended = false;
  }
  while (round(count, backward, hooks.before) < count)
    if (!hooks.after_round()) throw std::logic_error("threads wait for others that never come");
}

void Fibres::sleep() {
  Fibre& fibre = fibres_[static_cast<std::size_t>(current_)];
  if (_setjmp(fibre.place) == 0) {
    leave_for(fibre.ended ? nullptr : &fibre.own_fakes, scheduler_stack_, scheduler_bytes_);
    _longjmp(scheduler_, 1);
  }
  arrive(fibres_[static_cast<std::size_t>(current_)].own_fakes, &scheduler_stack_, &scheduler_bytes_);
}

void Fibres::fail(const char* what) {
  failure_ = what;
  sleep();
}

}  // namespace servecast::emulation
