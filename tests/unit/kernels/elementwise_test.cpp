#include "kernels/elementwise/elementwise.h"

#include <algorithm>

#include "tests/unit/kernels/made.h"

namespace servecast::elementwise_test {

template <class Number>
constexpr bool is_bf16 = std::is_same_v<Number, Bf16>;

template <class Number>
void check_rms_norm(int rows, int size, bool with_residual) {
  Rng rng(51, "norm");
  const auto count = static_cast<std::size_t>(rows * size);
  auto x = random_array<Number>(count, rng);
  const auto before = random_array<Number>(count, rng);
  auto weight = random_array<Number>(static_cast<std::size_t>(size), rng);
  Array<Number> out(count);
  Array<Number> residual(count);
  run_in_both_orders(out, [&] {
    for (std::size_t i = 0; i < count; ++i) residual[i] = before[i];
    rms_norm({.x = x.data(),
              .residual = with_residual ? residual.data() : nullptr,
              .weight = weight.data(),
              .out = out.data(),
              .rows = rows,
              .size = size},
             is_bf16<Number>, nullptr);
  });
  std::vector<double> sums;
  std::vector<double> reference;
  for (std::size_t i = 0; i < count; ++i) sums.push_back(x.at(i) + (with_residual ? before.at(i) : 0));
  for (std::size_t i = 0; i < count; ++i) {
    const auto width = static_cast<std::size_t>(size);
    double squares = 0;
    for (std::size_t j = 0; j < width; ++j) squares += std::pow(sums[i / width * width + j], 2);
    reference.push_back(sums[i] / std::sqrt(squares / size + 1e-6) * weight.at(i % width));
  }
  EXPECT_LT(relative_error(out, reference), rounding<Number>);
  if (with_residual) {
    EXPECT_LT(relative_error(residual, sums), rounding<Number>);
  }
}
TEST(RmsNormKernel, NormsAndAdds) {
  check_rms_norm<Half>(3, 64, true);
  check_rms_norm<Bf16>(2, 4104, false);  // 513 vectors: no multiple of the threads
  check_rms_norm<Bf16>(1, 2048, true);
}

template <class Number>
void check_rope(int heads, int size) {
  Rng rng(52, "rope");
  const Array<std::int32_t> positions(std::vector<std::int32_t>{0, 5, 2});
  const auto count = positions.size() * static_cast<std::size_t>(heads * size);
  const auto before = random_array<Number>(count, rng);
  Array<float> table(static_cast<std::size_t>(6 * size));
  const auto angle = [&](int position, int i) { return position * std::pow(10000.0, -2.0 * i / size); };
  for (int p = 0; p < 6; ++p)
    for (int i = 0; i < size / 2; ++i) {
      table[static_cast<std::size_t>(p * size + i)] = static_cast<float>(std::cos(angle(p, i)));
      table[static_cast<std::size_t>(p * size + size / 2 + i)] = static_cast<float>(std::sin(angle(p, i)));
    }
  Array<Number> x(count);
  run_in_both_orders(x, [&] {
    for (std::size_t i = 0; i < count; ++i) x[i] = before[i];
    rope({.x = x.data(),
          .positions = positions.data(),
          .cos_sin = table.data(),
          .tokens = 3,
          .heads = heads,
          .size = size},
         is_bf16<Number>, nullptr);
  });
  std::vector<double> reference;
  for (std::size_t i = 0; i < count; ++i) {
    const auto width = static_cast<std::size_t>(size);
    const auto at = static_cast<int>(i % width);
    const double turn = angle(positions[i / width / static_cast<std::size_t>(heads)], at % (size / 2));
    const bool first = at < size / 2;
    const double other = before.at(first ? i + width / 2 : i - width / 2);
    reference.push_back(before.at(i) * std::cos(turn) + (first ? -other : other) * std::sin(turn));
  }
  EXPECT_LT(relative_error(x, reference), rounding<Number>);
}
TEST(RopeKernel, TurnsPairs) {
  check_rope<Half>(3, 64);
  check_rope<Bf16>(33, 128);
}

template <class Number>
void check_silu(int rows, int size) {
  Rng rng(53, "silu");
  auto x = random_array<Number>(static_cast<std::size_t>(rows * size * 2), rng, 6);
  Array<Number> out(static_cast<std::size_t>(rows * size));
  run_in_both_orders(out, [&] {
    silu_mul({.x = x.data(), .out = out.data(), .rows = rows, .size = size}, is_bf16<Number>, nullptr);
  });
  std::vector<double> reference;
  for (int row = 0; row < rows; ++row)
    for (int i = 0; i < size; ++i) {
      const double gate = x.at(static_cast<std::size_t>(row * 2 * size + i));
      reference.push_back(gate / (1 + std::exp(-gate)) * x.at(static_cast<std::size_t>((row * 2 + 1) * size + i)));
    }
  EXPECT_LT(relative_error(out, reference), rounding<Number>);
}
TEST(SiluMulKernel, GatesRows) {
  check_silu<Half>(5, 72);
  check_silu<Bf16>(3, 1024);
}

Array<std::int32_t> sampled(Array<float>& logits, int rows, int top_k, float temperature, float draw) {
  const Array<float> draws(std::vector(static_cast<std::size_t>(rows), draw));
  Array<std::int32_t> tokens(static_cast<std::size_t>(rows));
  sample_tokens({.logits = logits.data(),
                 .draws = draws.data(),
                 .tokens = tokens.data(),
                 .rows = rows,
                 .size = static_cast<int>(logits.size()) / rows,
                 .top_k = top_k,
                 .temperature = temperature},
                nullptr);
  finish_kernels();
  return tokens;
}
TEST(SampleKernel, LargestOfEachRow) {
  Rng rng(54, "logits");
  auto logits = random_array<float>(3 * 1000, rng);
  const auto tokens = sampled(logits, 3, 1, 1, 0);
  for (std::size_t row = 0; row < 3; ++row)
    EXPECT_EQ(tokens[row], std::max_element(&logits[row * 1000], &logits[row * 1000] + 1000) - &logits[row * 1000]);
}
TEST(SampleKernel, EqualLogitsGoByIndex) {
  Array<float> logits(700);
  for (std::size_t i = 0; i < 700; ++i) logits[i] = 1;
  EXPECT_EQ(sampled(logits, 1, 1, 1, 0)[0], 0);
  EXPECT_EQ(sampled(logits, 1, 4, 1, 0.6F)[0], 2);  // quarters: 0.6 is in the third
}
// exp(2), exp(1), exp(0) of a sum of 11.107: 0.665, 0.245, 0.090; at temperature 0.5: 0.867, 0.117, 0.016.
TEST(SampleKernel, DrawsFromTheSoftmaxOfTheLargest) {
  Array<float> logits(300);
  for (std::size_t i = 0; i < 300; ++i) logits[i] = -1;
  logits[290] = 2;
  logits[7] = 1;
  logits[40] = 0;
  EXPECT_EQ(sampled(logits, 1, 3, 1, 0.66F)[0], 290);
  EXPECT_EQ(sampled(logits, 1, 3, 1, 0.67F)[0], 7);
  EXPECT_EQ(sampled(logits, 1, 3, 1, 0.92F)[0], 40);
  EXPECT_EQ(sampled(logits, 1, 3, 0.5F, 0.86F)[0], 290);
  EXPECT_EQ(sampled(logits, 1, 3, 0.5F, 0.99F)[0], 40);
  EXPECT_EQ(sampled(logits, 1, 3, 1, 1)[0], 40);
}

}  // namespace servecast::elementwise_test
