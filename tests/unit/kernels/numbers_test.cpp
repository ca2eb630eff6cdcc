#include "kernels/device/numbers.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace servecast::numbers_test {

/// Every pattern of the type that is a number, back and forth, and the number next to each midpoint.
template <class Number, class Bits>
void round_trips(std::uint32_t patterns) {
  std::vector<float> values;
  for (std::uint32_t bits = 0; bits < patterns; ++bits) {
    const float value = to_float(Number{static_cast<Bits>(bits)});
    if (std::isnan(value)) {
      EXPECT_TRUE(std::isnan(to_float(from_float<Number>(value))));
      continue;
    }
    ASSERT_EQ(from_float<Number>(value).bits, bits) << value;
    if (std::isfinite(value) && value >= 0) values.push_back(value);
  }
  std::ranges::sort(values);
  for (std::size_t i = 2; i < values.size(); ++i) {
    const float middle =
        static_cast<float>((static_cast<double>(values[i - 1]) + static_cast<double>(values[i])) / 2);
    const bool even_below = from_float<Number>(values[i - 1]).bits % 2 == 0;
    ASSERT_EQ(to_float(from_float<Number>(middle)), even_below ? values[i - 1] : values[i]) << middle;
    ASSERT_EQ(to_float(from_float<Number>(std::nextafter(middle, 0.0F))), values[i - 1]);
    ASSERT_EQ(to_float(from_float<Number>(std::nextafter(middle, 1e30F))), values[i]);
  }
}

TEST(KernelNumbers, EveryHalf) { round_trips<Half, std::uint16_t>(1U << 16); }
TEST(KernelNumbers, EveryFp8) { round_trips<Fp8, std::uint8_t>(1U << 8); }
TEST(KernelNumbers, EveryBf16) {
  for (std::uint32_t bits = 0; bits < 0x7f80U; ++bits) {
    ASSERT_EQ(from_float<Bf16>(to_float(Bf16{static_cast<std::uint16_t>(bits)})).bits, bits);
    const float middle = std::bit_cast<float>((bits << 16) | 0x8000U);
    ASSERT_EQ(from_float<Bf16>(middle).bits, bits + bits % 2);
  }
}

// IEEE 754 and the OCP FP8 paper (arXiv 2209.05433, table 1).
TEST(KernelNumbers, KnownValues) {
  EXPECT_EQ(from_float<Half>(1.0F).bits, 0x3c00);
  EXPECT_EQ(from_float<Half>(65504.0F).bits, 0x7bff);
  EXPECT_EQ(from_float<Half>(65520.0F).bits, 0x7c00);
  EXPECT_EQ(to_float(Half{0x0001}), 0x1p-24F);
  EXPECT_EQ(to_float(Fp8{0x7e}), 448.0F);
  EXPECT_EQ(to_float(Fp8{0x01}), 0x1p-9F);
  EXPECT_EQ(to_float(Fp8{0xb8}), -1.0F);
  EXPECT_EQ(from_float<Fp8>(1e6F).bits, 0x7e);
  EXPECT_EQ(packed<Half>(1.0F, -2.0F), 0xc0003c00U);
}

}  // namespace servecast::numbers_test
