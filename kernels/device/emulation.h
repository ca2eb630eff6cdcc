#pragma once
/// kernels/device/device.h on the host, for tests: executes a kernel's text thread by thread. Included by it only.
///
/// The threads of a block are fibres. One runs until it meets a barrier or something its warp does together, and goes
/// on when all that take part have arrived. Stricter than a GPU where that finds mistakes: a thread that leaves while
/// others wait for it is an error, lanes that meet in different operations are, shared memory starts as NaN, an
/// asynchronous copy happens no earlier than its wait, and tests run the threads in both orders: where a barrier is
/// missing, these differ. What it says nothing about: speed, memory ordering between blocks, approximate
/// instructions.
#include <cmath>
#include <cstddef>
#include <cstring>
#include <functional>

#include "kernels/device/device.h"

#define __global__
#define __device__
#define __launch_bounds__(...)
#define SERVECAST_UNROLL

namespace servecast {

struct Index3 {
  unsigned x = 0;
  unsigned y = 0;
  unsigned z = 0;
};
inline Index3 threadIdx;
inline Index3 blockIdx;
inline Index3 blockDim;
inline Index3 gridDim;

namespace emulation {

enum class Order { forward, backward };
/// In which order the threads between two barriers run.
inline Order order = Order::forward;
/// When an asynchronous copy happens: where it is asked for, or at its wait. A GPU may do either.
enum class Copies { early, late };
inline Copies copies = Copies::late;

/// Throws std::logic_error with what a kernel did wrong.
void run(const LaunchShape& shape, const std::function<void()>& thread);

inline constexpr std::size_t largest_offer = 64;
/// Hands `bytes` to the warp and waits for the other lanes; the answer is what each of them handed over, [lane] of
/// largest_offer bytes, which stands until the calling lane asks again. `what`: all lanes must mean the same.
const std::byte* exchange(const char* what, const void* mine, std::size_t bytes);

template <class Value>
Value offered(const std::byte* all, int lane) {
  static_assert(sizeof(Value) <= largest_offer);
  Value value;
  std::memcpy(&value, all + static_cast<std::size_t>(lane) * largest_offer, sizeof value);
  return value;
}

/// Lets others run until `ready`.
void wait_until(const std::function<bool()>& ready);

inline int own_lane() { return static_cast<int>(threadIdx.x % 32); }
void wait_async(int groups_left);
void load_matrices(std::uint32_t* r, const void* row, int matrices, bool transposed);

}  // namespace emulation

template <class Arguments>
void launch(void (*kernel)(Arguments), const LaunchShape& shape, Stream, const Arguments& arguments) {
  emulation::run(shape, [&] { kernel(arguments); });
}

unsigned char* dynamic_shared();
void block_barrier();

template <class Value>
Value shuffle(Value value, int lane) {
  return emulation::offered<Value>(emulation::exchange("shuffle", &value, sizeof value), lane);
}
template <class Value>
Value shuffle_xor(Value value, int mask) {
  return emulation::offered<Value>(emulation::exchange("shuffle_xor", &value, sizeof value),
                                   emulation::own_lane() ^ mask);
}
inline int atomic_add(int* address, int value) {
  const int before = *address;
  *address += value;
  return before;
}

inline float exp2_fast(float x) { return std::exp2(x); }

template <class Number, class Operation>
std::uint32_t with_pairs(std::uint32_t a, std::uint32_t b, Operation operation) {
  const auto half = [](std::uint32_t pair, int i) {
    return to_float(Number{static_cast<std::uint16_t>(pair >> (i * 16))});
  };
  return packed<Number>(operation(half(a, 0), half(b, 0)), operation(half(a, 1), half(b, 1)));
}
template <class Number>
std::uint32_t subtract_pair(std::uint32_t a, std::uint32_t b) {
  return with_pairs<Number>(a, b, std::minus<float>());
}
template <class Number>
std::uint32_t multiply_pair(std::uint32_t a, std::uint32_t b) {
  return with_pairs<Number>(a, b, std::multiplies<float>());
}

void copy_async_16(void* to, const void* from, bool valid);
void copy_async_commit();
template <int groups_left>
void copy_async_wait() {
  emulation::wait_async(groups_left);
}

template <int matrices>
void load_matrix(std::uint32_t* r, const void* row) {
  emulation::load_matrices(r, row, matrices, false);
}
template <int matrices>
void load_matrix_transposed(std::uint32_t* r, const void* row) {
  emulation::load_matrices(r, row, matrices, true);
}

template <class Number>
void multiply_add(FragmentC<float>& c, const FragmentA& a, const FragmentB& b);
template <class Number>
void multiply_add(FragmentC<int>& c, const FragmentA& a, const FragmentB& b);

}  // namespace servecast

#include "kernels/device/emulation_boxes.h"
#include "kernels/device/emulation_group.h"
