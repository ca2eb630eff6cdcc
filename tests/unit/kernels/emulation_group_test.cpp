#include <gmock/gmock.h>

#include <stdexcept>

#include "kernels/device/swizzled.h"
#include "tests/unit/kernels/made.h"

namespace servecast::emulation_group_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

struct Matrices {
  const Half* a;  // [64][64]
  const Half* b;  // [64][64]
  float* out;     // [64][64]
  bool across = false;
};

constexpr int b_at = 64 * panel_row_bytes;

/// Both tiles by copies in 16 bytes, as every kernel here.
void load(const Matrices& m) {
  for (int i = static_cast<int>(threadIdx.x); i < 64 * 8; i += 128) {
    const int to = SwizzledRows<64>::at(i / 8, i % 8 * 16);
    copy_async_16(dynamic_shared() + to, m.a + i / 8 * 64 + i % 8 * 8, true);
    copy_async_16(dynamic_shared() + b_at + to, m.b + i / 8 * 64 + i % 8 * 8, true);
  }
  copy_async_commit();
  copy_async_wait<0>();
}

void write(const Matrices& m, const FragmentC<float> (&sums)[8]) {
  const int row = static_cast<int>(threadIdx.x) / 32 * 16 + emulation::own_lane() / 4;
  for (int j = 0; j < 8; ++j)
    for (int i = 0; i < 4; ++i)
      m.out[(row + i / 2 * 8) * 64 + j * 8 + emulation::own_lane() % 4 * 2 + i % 2] = sums[j].r[i];
}

/// A fragment of 16 columns of A from `column` on, by its definition.
FragmentA held(const Matrices& m, int column) {
  const int row = static_cast<int>(threadIdx.x) / 32 * 16 + emulation::own_lane() / 4;
  FragmentA a;
  for (int i = 0; i < 4; ++i) {
    const Half* at = m.a + (row + i % 2 * 8) * 64 + column + emulation::own_lane() % 4 * 2 + i / 2 * 8;
    a.r[i] = at[0].bits | static_cast<std::uint32_t>(at[1].bits) << 16;
  }
  return a;
}

void product(Matrices m) {
  load(m);
  fence_async_proxy();
  block_barrier();
  FragmentC<float> sums[8];
  FragmentA a[4];
  for (int k = 0; k < 4; ++k) a[k] = held(m, k * 16);
  group_fence();
  for (int k = 0; k < 4; ++k)
    if (m.across)
      multiply_group<Half, 64>(sums, a[k], operand_across_k<64>(dynamic_shared() + b_at, k * 16), k > 0);
    else
      multiply_group<Half, 64>(sums, operand_along_k<64>(dynamic_shared(), 0, k * 32),
                               operand_along_k<64>(dynamic_shared() + b_at, 0, k * 32), k > 0);
  group_commit();
  group_wait<0>();
  write(m, sums);
}
constexpr LaunchShape one_group{.threads = 128, .shared_bytes = 2 * b_at};

TEST(GroupEmulation, MultipliesAlongAndAcrossK) {
  Rng rng(71, "group");
  const auto a = random_array<Half>(64 * 64, rng);
  const auto b = random_array<Half>(64 * 64, rng);
  for (const bool across : {false, true}) {
    Array<float> out(64 * 64);
    run_in_both_orders(out, [&] { launch(product, one_group, nullptr, Matrices{&a[0], &b[0], out.data(), across}); });
    std::vector<double> reference;
    for (std::size_t i = 0; i < 64; ++i)
      for (std::size_t j = 0; j < 64; ++j) {
        double sum = 0;
        for (std::size_t k = 0; k < 64; ++k) sum += a.at(i * 64 + k) * b.at(across ? k * 64 + j : j * 64 + k);
        reference.push_back(sum);
      }
    EXPECT_LT(relative_error(out, reference), 1e-6);
  }
}

// PTX ISA, 128-byte swizzle: 16-byte piece 3 of row 5 stands where piece 3 XOR 5 = 6 would; row 21 two groups of 8
// on.
TEST(GroupEmulation, PlacesByHand) {
  EXPECT_EQ(SwizzledRows<64>::at(5, 48), 5 * 128 + 6 * 16);
  EXPECT_EQ(SwizzledRows<64>::at(21, 128 + 16), 64 * 128 + 21 * 128 + (1 ^ 5) * 16);
}

void without_fence(Matrices m) {
  load(m);
  fence_async_proxy();
  FragmentC<float> sums[8];
  multiply_group<Half, 64>(sums, operand_along_k<64>(dynamic_shared(), 0, 0),
                           operand_along_k<64>(dynamic_shared() + b_at, 0, 0), false);
}
void without_proxy_fence(Matrices m) {
  load(m);
  block_barrier();
  FragmentC<float> sums[8];
  group_fence();
  multiply_group<Half, 64>(sums, operand_along_k<64>(dynamic_shared(), 0, 0),
                           operand_along_k<64>(dynamic_shared() + b_at, 0, 0), false);
  group_commit();
  group_wait<0>();
}
void without_wait(Matrices m) {
  load(m);
  fence_async_proxy();
  block_barrier();
  FragmentC<float> sums[8];
  group_fence();
  multiply_group<Half, 64>(sums, operand_along_k<64>(dynamic_shared(), 0, 0),
                           operand_along_k<64>(dynamic_shared() + b_at, 0, 0), false);
  group_commit();
}
void changes_its_operand(Matrices m) {
  load(m);
  fence_async_proxy();
  block_barrier();
  FragmentC<float> sums[8];
  FragmentA a = held(m, 0);
  group_fence();
  multiply_group<Half, 64>(sums, a, operand_across_k<64>(dynamic_shared() + b_at, 0), false);
  group_commit();
  a.r[0] += 1;
  group_wait<0>();
}
void one_warp_alone(Matrices m) {
  if (threadIdx.x < 32) product(m);
}
TEST(GroupEmulation, TellsMistakes) {
  Rng rng(72, "mistakes");
  const auto a = random_array<Half>(64 * 64, rng);
  const auto running = [&](void (*kernel)(Matrices)) {
    return [&a, kernel] { launch(kernel, one_group, nullptr, Matrices{&a[0], &a[0], nullptr}); };
  };
  EXPECT_THAT(running(without_fence), ThrowsMessage<std::logic_error>(HasSubstr("without a fence before")));
  EXPECT_THAT(running(without_proxy_fence), ThrowsMessage<std::logic_error>(HasSubstr("fence_async_proxy")));
  EXPECT_THAT(running(without_wait), ThrowsMessage<std::logic_error>(HasSubstr("no warp waits for")));
  EXPECT_THAT(running(changes_its_operand), ThrowsMessage<std::logic_error>(HasSubstr("changed before the wait")));
  EXPECT_THAT(running(one_warp_alone), ThrowsMessage<std::logic_error>(HasSubstr("wait for others")));
}

}  // namespace servecast::emulation_group_test
