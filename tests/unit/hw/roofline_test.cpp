#include "models/hw/roofline/roofline.h"

#include <gtest/gtest.h>

#include "models/hw/roofline/layer_model.h"
#include "tests/unit/hw/made_up.h"

namespace servecast::roofline_test {

const EngineTerms no_host{.all_reduce_wait_s = 0, .small_kernel_s = 1e-6};

std::unique_ptr<StepLatency> roofline(const Llm& llm, Shape shape = {}, const EngineTerms& engine = no_host) {
  return make_roofline({.gpu = made_up_gpu(),
                        .llm = llm,
                        .shape = shape,
                        .max_step_tokens = 64,
                        .max_sequences = 32,
                        .stage_link = {.bytes_per_s = 1e9, .latency_s = 1e-6},
                        .engine = engine});
}

StepWork decode(std::int64_t sequences, std::int64_t context) {
  return {.decode_sequences = sequences, .decode_kv_tokens = sequences * context, .emitted_tokens = sequences};
}

StepWork chunk(std::int64_t tokens, std::int64_t prefix) {
  StepWork work;
  work.add_chunk(tokens, prefix);
  return work;
}

// One layer, one token, in microseconds:
//   q,k,v 100 x 200: 1 + .04 + .0406, o 100 x 100: 1 + .02 + .0204, gate and up 100 x 400: 1 + .08 + .081,
//   down 200 x 100: 1 + .04 + .0406                                                     = 4.3626
//   six small kernels 6; 12 x 100 + 4 (100 + 2 x 50) + 4 x 50 + 6 x 200 = 3,400 bytes: .0034
constexpr double layer_us = 4.3626 + 6.0034;
// Decode attention over 10 tokens: 2 + 10 x 200 bytes = .002. LM head 100 x 1,000: 1 + .2 + .2022.
constexpr double decode_us = 2.002;
constexpr double head_us = 1.4022;

TEST(Roofline, OneTokenByHand) {
  const StageTime t = roofline(tiny_llm())->stage(decode(1, 10), 0);
  EXPECT_NEAR(t.seconds * 1e6, 2 * (layer_us + decode_us) + head_us, 1e-9);
  // arithmetic: (.04 + .02 + .08 + .04) x 2 + .2
  EXPECT_NEAR(t.compute_s * 1e6, 0.56, 1e-9);
  EXPECT_FALSE(t.extrapolated);
}

// 1 token after 9: 10 pairs x 400 flop / 1e13 = 4e-10 s, but reading 10 tokens takes 2e-9: 3.002 us. No LM head.
TEST(Roofline, ChunkOfAPromptByHand) {
  EXPECT_NEAR(roofline(tiny_llm())->stage(chunk(1, 9), 0).seconds * 1e6, 2 * (layer_us + 3.002), 1e-9);
}

TEST(Roofline, DecodesAndPromptsShareALaunch) {
  const auto model = roofline(tiny_llm());
  StepWork both = decode(1, 10);
  both.add_chunk(1, 9);
  StepWork two = decode(2, 10);
  two.emitted_tokens = 1;
  // The same two tokens; the chunk's attention costs 3.002 - 2 instead of another .002.
  EXPECT_NEAR((model->stage(both, 0).seconds - model->stage(two, 0).seconds) * 1e6, 2 * 1.0, 1e-9);
}

TEST(Roofline, HostTermsAddUp) {
  const auto with = roofline(tiny_llm(), {},
                             {.all_reduce_wait_s = 0,
                              .small_kernel_s = 1e-6,
                              .host_step_s = 1e-3,
                              .host_sequence_s = 1e-5,
                              .host_overlapped = false});
  const auto without = roofline(tiny_llm());
  EXPECT_NEAR(with->stage(decode(3, 10), 0).seconds - without->stage(decode(3, 10), 0).seconds, 1.03e-3, 1e-12);
}

// Stages of one layer each. The first hands on 2 x 100 x 2 = 400 bytes: .4 us, and 1 us latency; the last has the
// head.
TEST(Roofline, PipelineStagesByHand) {
  const auto model = roofline(tiny_llm(), {1, 2});
  ASSERT_EQ(model->stages(), 2);
  EXPECT_NEAR(model->stage(decode(1, 10), 0).seconds * 1e6, layer_us + decode_us + 1.4, 1e-9);
  EXPECT_NEAR(model->stage(decode(1, 10), 1).seconds * 1e6, layer_us + decode_us + head_us, 1e-9);
}

// Two all-reduces per layer and one for the embedding, each with 1 us until the other rank has come.
TEST(Roofline, TensorParallelPaysForAllReduces) {
  const auto once = roofline(tiny_llm(), {2, 1});
  const auto twice = roofline(tiny_llm(), {2, 1}, {.all_reduce_wait_s = 1e-6, .small_kernel_s = 1e-6});
  EXPECT_NEAR((twice->stage(decode(5, 10), 0).seconds - once->stage(decode(5, 10), 0).seconds) * 1e6, 5, 1e-9);
}

TEST(Roofline, WindowedLayersSeeTheWindow) {
  Llm m = tiny_llm();
  m.sliding_window = 5;
  const auto windowed = roofline(m);
  EXPECT_EQ(windowed->stage(decode(2, 500), 0).seconds, windowed->stage(decode(2, 50), 0).seconds);
  EXPECT_EQ(windowed->stage(decode(2, 500), 0).seconds, roofline(tiny_llm())->stage(decode(2, 5), 0).seconds);
}

TEST(Roofline, ChunkedLayersSeeTheirChunk) {
  Llm m = tiny_llm();
  m.attention_chunk = 100;
  m.attention_of.assign(static_cast<std::size_t>(m.layers), Attention::chunked);
  const auto chunked = roofline(m);
  EXPECT_EQ(chunked->stage(decode(2, 505), 0).seconds, roofline(tiny_llm())->stage(decode(2, 5), 0).seconds);
  EXPECT_EQ(chunked->stage(decode(2, 100), 0).seconds, roofline(tiny_llm())->stage(decode(2, 100), 0).seconds);
  StepWork counted = decode(2, 505);
  counted.decode_chunk_tokens = 2 * 50;
  EXPECT_EQ(chunked->stage(counted, 0).seconds, roofline(tiny_llm())->stage(decode(2, 50), 0).seconds);
}

TEST(Roofline, TableAndFormulaAgreeBeyondTheTable) {
  const auto small = roofline(tiny_moe());
  const auto large = make_roofline(
      {.gpu = made_up_gpu(), .llm = tiny_moe(), .max_step_tokens = 500, .max_sequences = 32, .engine = no_host});
  EXPECT_EQ(small->stage(chunk(300, 0), 0).seconds, large->stage(chunk(300, 0), 0).seconds);
}

TEST(Roofline, SaysWhenOutOfRange) {
  const auto model = roofline(tiny_llm());
  EXPECT_FALSE(model->stage(decode(100, 1000), 0).extrapolated);
  EXPECT_TRUE(model->stage(decode(101, 1000), 0).extrapolated);
  EXPECT_TRUE(model->stage(decode(100, 1001), 0).extrapolated);
  EXPECT_TRUE(model->stage(chunk(1001, 0), 0).extrapolated);
}

TEST(Roofline, MoreWorkNeverTakesLess) {
  for (const Llm& llm : {tiny_llm(), tiny_moe()}) {
    const auto model = roofline(llm, {2, 1});
    double before_tokens = 0;
    for (std::int64_t n = 1; n <= 200; ++n) {
      double before_context = 0;
      for (std::int64_t context = 1; context < 5000; context = context * 3 / 2 + 1) {
        StepWork work = decode(n, context);
        const double decodes = model->stage(work, 0).seconds;
        EXPECT_GE(decodes, before_context);
        before_context = decodes;
        work.add_chunk(n, context);
        EXPECT_GE(model->stage(work, 0).seconds, decodes);
      }
      const double tokens = model->stage(chunk(n, 100), 0).seconds;
      EXPECT_GE(tokens, before_tokens) << n;
      before_tokens = tokens;
    }
  }
}

// 24 hidden, 10 and 20 + 4 compressed: one product of them where queries are, and norms of both or one.
TEST(LayerModel, LatentAttentionCompressesByOneProduct) {
  Llm m = tiny_llm();
  m.latent = {.query_rank = 10, .kv_rank = 20, .rope_head_size = 4, .nope_head_size = 8, .value_head_size = 6};
  const auto columns = [&] {
    std::vector<std::int64_t> all;
    for (const Linear& linear : attention_linears(m, {}, 1, {})) all.push_back(linear.shape.columns);
    return all;
  };
  EXPECT_EQ(columns(), (std::vector<std::int64_t>{10 + 24, 2 * 12, 2 * 14, 100}));
  EXPECT_EQ(more_norms(m), 2);
  m.latent->query_rank = 0;
  EXPECT_EQ(columns(), (std::vector<std::int64_t>{2 * 12, 24, 2 * 14, 100}));
  EXPECT_EQ(more_norms(m), 1);
}

TEST(EngineTerms, RanksAreWaitedForOncePerDoubling) {
  EngineTerms terms{.all_reduce_wait_s = 2e-6};
  Gpu nvlink{};
  nvlink.nvlink_bytes_per_s = 450e9;
  EXPECT_EQ(all_reduce_wait_s(terms, nvlink, 1), 0);
  EXPECT_NEAR(all_reduce_wait_s(terms, nvlink, 2), 2e-6, 1e-18);
  EXPECT_NEAR(all_reduce_wait_s(terms, nvlink, 8), 6e-6, 1e-18);
  Gpu pcie = nvlink;
  pcie.nvlink_bytes_per_s = 0;
  EXPECT_NEAR(all_reduce_wait_s(terms, pcie, 8), 6e-6, 1e-18);
  terms.pcie_all_reduce_wait_s = 1e-4;
  EXPECT_EQ(all_reduce_wait_s(terms, pcie, 1), 0);
  EXPECT_EQ(all_reduce_wait_s(terms, pcie, 2), 1e-4);
  EXPECT_EQ(all_reduce_wait_s(terms, pcie, 8), 1e-4);
  EXPECT_NEAR(all_reduce_wait_s(terms, nvlink, 8), 6e-6, 1e-18);
}

}  // namespace servecast::roofline_test
