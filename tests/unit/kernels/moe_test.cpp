#include "kernels/moe/moe.h"

#include <algorithm>
#include <array>

#include "kernels/attention/kv_gather.h"
#include "kernels/gemm/gemm.h"
#include "tests/unit/kernels/made.h"

namespace servecast::moe_test {

/// Routing of random logits with what the kernels fill in.
struct Routed {
  Routed(int tokens, int experts, int top_k)
      : logits(random(tokens * experts)),
        chosen(visits(tokens, top_k)),
        weights(visits(tokens, top_k)),
        expert_rows(static_cast<std::size_t>(experts) + 1),
        row_of(visits(tokens, top_k)),
        view{.logits = logits.data(),
             .chosen = chosen.data(),
             .weights = weights.data(),
             .expert_rows = expert_rows.data(),
             .row_of = row_of.data(),
             .tokens = tokens,
             .experts = experts,
             .top_k = top_k} {
    gate_experts(view, nullptr);
    order_by_expert(view, nullptr);
    finish_kernels();
  }
  static std::size_t visits(int tokens, int top_k) { return static_cast<std::size_t>(tokens * top_k); }
  static Array<float> random(int count) {
    Rng rng(61, "gate");
    return random_array<float>(static_cast<std::size_t>(count), rng, 3);
  }
  Array<float> logits;
  Array<std::int32_t> chosen;
  Array<float> weights;
  Array<std::int32_t> expert_rows;
  Array<std::int32_t> row_of;
  Routing view;
};

void check_gate(const Routed& r) {
  for (int token = 0; token < r.view.tokens; ++token) {
    const auto logit = [&](int expert) {
      return r.logits.at(static_cast<std::size_t>(token * r.view.experts + expert));
    };
    std::vector<int> order(static_cast<std::size_t>(r.view.experts));
    std::iota(order.begin(), order.end(), 0);
    std::ranges::stable_sort(order, [&](int a, int b) { return logit(a) > logit(b); });
    double sum = 0;
    for (int i = 0; i < r.view.top_k; ++i) sum += std::exp(logit(order[static_cast<std::size_t>(i)]));
    for (int i = 0; i < r.view.top_k; ++i) {
      const auto at = static_cast<std::size_t>(token * r.view.top_k + i);
      ASSERT_EQ(r.chosen[at], order[static_cast<std::size_t>(i)]) << token << ' ' << i;
      ASSERT_NEAR(r.weights[at], std::exp(logit(order[static_cast<std::size_t>(i)])) / sum, 1e-6);
    }
  }
}

void check_order(const Routed& r) {
  int row = 0;
  for (int expert = 0; expert < r.view.experts; ++expert) {
    ASSERT_EQ(r.expert_rows[static_cast<std::size_t>(expert)], row);
    for (std::size_t i = 0; i < r.chosen.size(); ++i)
      if (r.chosen[i] == expert) {
        ASSERT_EQ(r.row_of[i], row++);
      }
  }
  ASSERT_EQ(r.expert_rows[r.expert_rows.size() - 1], row);
}

TEST(MoeKernels, GateAndOrder) {
  for (const auto& [tokens, experts, top_k] :
       {std::array{1, 8, 2}, {70, 8, 2}, {9, 64, 6}, {5, 256, 8}, {3, 512, 16}, {40, 3, 3}}) {
    const Routed routed(tokens, experts, top_k);
    check_gate(routed);
    check_order(routed);
  }
}

// Gate, permute, product per expert, combine: against the layer's formula for each token.
template <class Number>
double layer_error(int tokens, int experts, int top_k) {
  constexpr int in = 64;
  constexpr int out_size = 32;
  Routed r(tokens, experts, top_k);
  Rng rng(62, "layer");
  auto x = random_array<Number>(static_cast<std::size_t>(tokens * in), rng);
  auto weights = random_array<Number>(static_cast<std::size_t>(experts * out_size * in), rng);
  Array<Number> permuted(r.chosen.size() * in);
  Array<Number> products(r.chosen.size() * out_size);
  Array<Number> out(static_cast<std::size_t>(tokens * out_size));
  ExpertRows rows{.row_of = r.row_of.data(),
                  .weights = r.weights.data(),
                  .from = x.data(),
                  .to = permuted.data(),
                  .tokens = tokens,
                  .top_k = top_k,
                  .size = in};
  constexpr bool bf16 = std::is_same_v<Number, Bf16>;
  run_in_both_orders(out, [&] {
    rows.from = x.data(), rows.to = permuted.data(), rows.size = in;
    permute_rows(rows, nullptr);
    gemm({.a = permuted.data(),
          .weights = weights.data(),
          .expert_rows = r.expert_rows.data(),
          .out = products.data(),
          .m = tokens * top_k,
          .n = out_size,
          .k = in,
          .experts = experts},
         GemmKind::plain, bf16, nullptr);
    rows.from = products.data(), rows.to = out.data(), rows.size = out_size;
    combine_rows(rows, bf16, nullptr);
  });
  std::vector<double> reference;
  for (int token = 0; token < tokens; ++token)
    for (int column = 0; column < out_size; ++column) {
      double sum = 0;
      for (int i = 0; i < top_k; ++i) {
        const auto visit = static_cast<std::size_t>(token * top_k + i);
        double product = 0;
        for (int k = 0; k < in; ++k)
          product += x.at(static_cast<std::size_t>(token * in + k)) *
                     weights.at(static_cast<std::size_t>((r.chosen[visit] * out_size + column) * in + k));
        sum += static_cast<double>(r.weights[visit]) * product;
      }
      reference.push_back(sum);
    }
  return relative_error(out, reference);
}
TEST(MoeKernels, WholeLayer) {
  EXPECT_LT(layer_error<Half>(11, 8, 2), rounding<Half>);
  EXPECT_LT(layer_error<Bf16>(5, 16, 4), rounding<Bf16>);
}

TEST(KvGatherKernel, GathersAndScatters) {
  for (const int block_bytes : {16, 4096, 16384 + 48}) {
    Rng rng(63, "blocks");
    const auto floats = static_cast<std::size_t>(block_bytes / 4);
    auto pool = random_array<float>(floats * 6, rng);
    const std::vector<std::int32_t> taken_blocks{4, 0, 3};
    const Array<std::int32_t> blocks(taken_blocks);
    Array<float> gathered(floats * 3);
    KvGather gather{
        .from = pool.data(), .to = gathered.data(), .blocks = blocks.data(), .count = 3, .block_bytes = block_bytes};
    run_in_both_orders(gathered, [&] { gather_blocks(gather, nullptr); });
    Array<float> back(floats * 6);
    gather.from = gathered.data();
    gather.to = back.data();
    scatter_blocks(gather, nullptr);
    finish_kernels();
    for (std::size_t i = 0; i < floats * 6; ++i) {
      const bool taken = std::ranges::count(taken_blocks, static_cast<int>(i / floats)) > 0;
      ASSERT_TRUE(taken ? back[i] == pool[i] : std::isnan(back[i])) << i;
    }
    for (std::size_t i = 0; i < floats; ++i) ASSERT_EQ(gathered[floats * 2 + i], pool[floats * 3 + i]);
  }
}

}  // namespace servecast::moe_test
