#include <gmock/gmock.h>

#include <stdexcept>

#include "kernels/device/warp.h"
#include "tests/unit/kernels/made.h"

namespace servecast::emulation_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Output {
  float* out;
};

void block_sums(Output a) {
  auto* scratch = reinterpret_cast<float*>(dynamic_shared());
  a.out[blockIdx.x * 64 + threadIdx.x] = sum_over_block(static_cast<float>(threadIdx.x + blockIdx.x), 64, scratch);
}
TEST(Emulation, AddsOverABlock) {
  Array<float> out(128);
  run_in_both_orders(
      out, [&] { launch(block_sums, {.grid_x = 2, .threads = 64, .shared_bytes = 8}, nullptr, Output{out.data()}); });
  EXPECT_EQ(out[5], 2016.0F);  // 0 + ... + 63
  EXPECT_EQ(out[127], 2080.0F);
}

void without_barrier(Output a) {
  a.out[threadIdx.x] = 1;
  a.out[32 + threadIdx.x] = a.out[31 - threadIdx.x];
}
TEST(Emulation, OrdersTellAMissingBarrier) {
  const auto first_of = [](emulation::Order order) {
    Array<float> out(64);
    emulation::order = order;
    launch(without_barrier, {}, nullptr, Output{out.data()});
    emulation::order = emulation::Order::forward;
    return out[32];
  };
  EXPECT_TRUE(std::isnan(first_of(emulation::Order::forward)));
  EXPECT_EQ(first_of(emulation::Order::backward), 1.0F);
}

void some_leave(Output) {
  if (threadIdx.x < 5) return;
  block_barrier();
}
void different_things(Output) {
  if (threadIdx.x < 16)
    shuffle(1, 0);
  else
    shuffle_xor(1, 1);
}
void misaligned(Output a) { copy_async_16(dynamic_shared() + 4, a.out, true); }
TEST(Emulation, TellsMistakes) {
  const auto running = [](void (*kernel)(Output)) {
    return [=] {
      Array<float> out(64);
      launch(kernel, {.shared_bytes = 64}, nullptr, Output{out.data()});
    };
  };
  EXPECT_THAT(running(some_leave), ThrowsMessage<std::logic_error>(HasSubstr("wait for others")));
  EXPECT_THAT(running(different_things), ThrowsMessage<std::logic_error>(HasSubstr("shuffle and shuffle_xor")));
  EXPECT_THAT(running(misaligned), ThrowsMessage<std::logic_error>(HasSubstr("not aligned")));
}

void copies(Output a) {
  auto* tile = reinterpret_cast<float*>(dynamic_shared()) + threadIdx.x * 4;
  copy_async_16(tile, a.out, threadIdx.x % 2 == 0);
  copy_async_commit();
  a.out[64 + threadIdx.x] = tile[0];
  copy_async_wait<0>();
  a.out[32 + threadIdx.x] = tile[0];
}
TEST(Emulation, CopiesArriveAtTheWaitAndNotBefore) {
  Array<float> out(96);
  out[0] = 7;
  launch(copies, {.shared_bytes = 512}, nullptr, Output{out.data()});
  EXPECT_TRUE(std::isnan(out[64]));
  EXPECT_EQ(out[32], 7.0F);
  EXPECT_EQ(out[33], 0.0F);
}

}  // namespace servecast::emulation_test
