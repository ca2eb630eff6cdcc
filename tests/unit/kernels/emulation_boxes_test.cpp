#include <gmock/gmock.h>

#include <stdexcept>

#include "kernels/device/swizzled.h"
#include "tests/unit/kernels/made.h"

namespace servecast::emulation_boxes_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

constexpr int box_rows = 16;
constexpr int box_bytes = box_rows * box_row_bytes;

struct Boxed {
  BoxMap map{};
  float* out = nullptr;
  int column = 0;
  int row = 0;
};

CopyBarrier* barrier() { return reinterpret_cast<CopyBarrier*>(dynamic_shared() + box_bytes); }
void begin() {
  if (threadIdx.x == 0) {
    barrier_init(barrier());
    barriers_ready();
  }
  block_barrier();
}
void copy(const Boxed& a, int expected) {
  if (threadIdx.x != 0) return;
  barrier_expect(barrier(), expected);
  copy_box(dynamic_shared(), a.map, a.column, a.row, barrier());
}
/// Rows as they stand behind the swizzle, twice: the second box comes in the barrier's second phase.
void copies_twice(Boxed a) {
  begin();
  for (int time = 0; time < 2; ++time) {
    copy(a, box_bytes);
    barrier_wait(barrier(), time);
    for (int i = static_cast<int>(threadIdx.x); i < box_bytes / 4; i += 32) {
      const int at = SwizzledRows<box_rows>::at(i / 32, i % 32 / 4 * 16) + i % 4 * 4;
      a.out[time * (box_bytes / 4) + i] = *reinterpret_cast<const float*>(dynamic_shared() + at);
    }
    block_barrier();
    a.row += 3;
  }
}
constexpr LaunchShape one_warp{.shared_bytes = box_bytes + 8};

// 20 rows of 48 numbers; boxes of 16 rows and 32 numbers from number 32 and from rows 5 and 8 on.
TEST(BoxEmulation, CopiesRowsAndZerosBeyondThem) {
  Rng rng(73, "boxes");
  const auto matrix = random_array<float>(20 * 48, rng);
  Boxed boxed{.column = 32 * 4, .row = 5};
  ASSERT_TRUE(make_box_map(boxed.map, {.data = &matrix[0], .rows = 20, .row_bytes = 48 * 4, .box_rows = box_rows}));
  Array<float> out(2 * box_rows * 32);
  boxed.out = out.data();
  run_in_both_orders(out, [&] { launch(copies_twice, one_warp, nullptr, boxed); });
  for (std::size_t i = 0; i < out.size(); ++i) {
    const std::size_t row = i / 32 % box_rows + (i < box_rows * 32 ? 5 : 8);
    const std::size_t column = i % 32 + 32;
    ASSERT_EQ(out[i], row < 20 && column < 48 ? matrix[row * 48 + column] : 0.0F) << i;
  }
}

void without_init(Boxed a) { copy(a, box_bytes); }
void without_wait(Boxed a) {
  begin();
  copy(a, box_bytes);
}
void expects_too_much(Boxed a) {
  begin();
  copy(a, box_bytes + 16);
  barrier_wait(barrier(), 0);
}
void at_an_odd_place(Boxed a) {
  begin();
  copy_box(dynamic_shared() + 128, a.map, 0, 0, barrier());
}
TEST(BoxEmulation, TellsMistakes) {
  const Array<float> matrix(32 * 32);
  Boxed boxed;
  ASSERT_TRUE(make_box_map(boxed.map, {.data = &matrix[0], .rows = 32, .row_bytes = 128, .box_rows = box_rows}));
  const auto running = [&](void (*kernel)(Boxed)) { return [=] { launch(kernel, one_warp, nullptr, boxed); }; };
  EXPECT_THAT(running(without_init), ThrowsMessage<std::logic_error>(HasSubstr("not initialised")));
  EXPECT_THAT(running(without_wait), ThrowsMessage<std::logic_error>(HasSubstr("no thread waits for")));
  EXPECT_THAT(running(expects_too_much), ThrowsMessage<std::logic_error>(HasSubstr("never come")));
  EXPECT_THAT(running(at_an_odd_place), ThrowsMessage<std::logic_error>(HasSubstr("multiple of 1024")));
}

}  // namespace servecast::emulation_boxes_test
