#pragma once
/// What a warp group does together, on the host; included by kernels/device/emulation.h only.
///
/// Its products read shared memory and write their sums at once or not before their wait, as a test asks: the GPU may
/// do either. Stricter than a GPU where that finds mistakes: products without a fence before them, operands that
/// change before the wait, copies that no fence.proxy.async follows, products that no warp waits for and warps that
/// take no part are errors.
#include "kernels/device/device.h"

#define SERVECAST_GROUP_PRODUCTS 1

namespace servecast {
namespace emulation {

/// Whether launches go to a GPU that has them.
inline bool hopper = false;
/// When products happen: where they are asked for, or at their wait.
enum class Products { early, late };
inline Products products = Products::late;

/// The left operand: registers of the lane, or what a descriptor names.
struct Left {
  const FragmentA* held = nullptr;
  std::uint64_t descriptor = 0;
};
struct GroupProduct {
  Left left{};
  std::uint64_t right = 0;
  bool right_across_k = false;
  int columns = 0;
  bool add = false;
};
template <class Number, class Sum>
void start_product(FragmentC<Sum>* sums, const GroupProduct& product);
void wait_group(int groups_left);

/// For the emulation of blocks: a block of threads begins, and has ended.
void begin_groups(std::size_t threads, std::size_t shared_bytes);
void end_groups();
/// 16 bytes of shared memory were written by a copy of this thread.
void note_copy(const void* to);

}  // namespace emulation

inline bool has_group_products() { return emulation::hopper; }

unsigned shared_address(const void* pointer);
void fence_async_proxy();
void group_fence();
void group_commit();
template <int groups_left>
void group_wait() {
  emulation::wait_group(groups_left);
}

template <class Number, int columns, class Sum>
void multiply_group(FragmentC<Sum> (&sums)[columns / 8], std::uint64_t a, std::uint64_t b, bool add) {
  emulation::start_product<Number>(&sums[0], {.left = {.descriptor = a}, .right = b, .columns = columns, .add = add});
}
template <class Number, int columns>
void multiply_group(FragmentC<float> (&sums)[columns / 8], const FragmentA& a, std::uint64_t b, bool add) {
  emulation::start_product<Number>(
      &sums[0], {.left = {.held = &a}, .right = b, .right_across_k = true, .columns = columns, .add = add});
}

}  // namespace servecast
