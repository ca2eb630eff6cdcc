// The roofline with the bundled hardware and models: laws that must hold everywhere, and measured servers.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/hw/llm/shape.h"
#include "models/hw/roofline/roofline.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"

namespace servecast::roofline_laws_test {

struct Case {
  std::string gpu;
  std::string llm;
  std::int64_t tensor_parallel = 1;
  WeightTypes weights{};
};
const std::vector<Case> cases{
    {"a100_sxm_80g", "opt-13b"},
    {"a100_sxm_80g", "llama-2-70b", 4},
    {"h100_sxm_80g", "llama-3.1-8b"},
    {"h100_sxm_80g", "llama-3.1-70b", 8, DataType::fp8},
    {"h200_sxm_141g", "deepseek-v3", 8, DataType::fp8},
    {"l40s_48g", "mixtral-8x7b", 4, DataType::int4},
    {"a10_24g", "mistral-7b", 1, DataType::int8},
    {"rtx_4090_24g", "gpt-oss-20b", 1, {DataType::bf16, DataType::bf16, DataType::mxfp4}},
};

std::unique_ptr<StepLatency> model_of(const Case& c, const EngineTerms& engine = {}) {
  const Gpu gpu = load_gpu(c.gpu, {});
  const Llm llm = load_llm(c.llm, {});
  return make_roofline({.gpu = gpu,
                        .llm = llm,
                        .weights = c.weights,
                        .shape = {c.tensor_parallel, 1},
                        .max_step_tokens = 4096,
                        .engine = engine});
}

StepWork decode(std::int64_t sequences, std::int64_t context) {
  return {.decode_sequences = sequences, .decode_kv_tokens = sequences * context, .emitted_tokens = sequences};
}

/// What no machine can beat: the active arithmetic at the peak, and the weights that are certainly read (of experts
/// only those one token needs) with the KV cache at the data sheet's bandwidth. Windows are left out of the reads.
double bound_s(const Case& c, const StepWork& work) {
  const Gpu gpu = load_gpu(c.gpu, {});
  const Llm llm = load_llm(c.llm, {});
  const double tp = static_cast<double>(c.tensor_parallel);
  const double tokens = static_cast<double>(work.tokens());
  const double per_token = flop_per_token(llm, 0) - 2 * embedding_parameters(llm);
  const double head = 2 * embedding_parameters(llm) * static_cast<double>(work.emitted_tokens);
  const double flop = (tokens * per_token + head) / tp;
  double least_bytes = facts(c.weights.attention).bytes;
  for (const DataType type : c.weights.all()) least_bytes = std::min(least_bytes, facts(type).bytes);
  double bytes = per_token / 2 * least_bytes / tp;
  if (llm.bounded_layers() == 0 && !llm.sparse)
    bytes += static_cast<double>(work.decode_kv_tokens * llm.layers) *
             kv_bytes_per_token_layer_and_gpu(llm, DataType::bf16, c.tensor_parallel);
  const double peak = std::max(peak_flop_per_s(gpu, c.weights), gpu.peaks.bf16_flop_per_s);
  return std::max(flop / peak, bytes / gpu.hbm_bytes_per_s);
}

TEST(RooflineLaws, NeverFasterThanTheDataSheet) {
  for (const Case& c : cases) {
    const auto model = model_of(c, {.all_reduce_wait_s = 0});
    for (std::int64_t n = 1; n <= 256; n *= 4)
      for (std::int64_t context = 16; context <= 16384; context *= 4) {
        const StepWork work = decode(n, context);
        EXPECT_GT(model->stage(work, 0).seconds, bound_s(c, work)) << c.gpu << " " << c.llm << " " << n;
      }
    for (std::int64_t tokens = 1; tokens <= 4096; tokens *= 2) {
      StepWork work;
      work.add_chunk(tokens, 1000);
      EXPECT_GT(model->stage(work, 0).seconds, bound_s(c, work)) << c.gpu << " " << c.llm << " " << tokens;
    }
  }
}

TEST(RooflineLaws, MoreTokensNeverTakeLessAndArithmeticIsAPart) {
  for (const Case& c : cases) {
    const auto model = model_of(c);
    double before_s = 0;
    for (std::int64_t tokens = 1; tokens <= 5000; tokens += tokens < 600 ? 1 : 37) {
      StepWork work = decode(1, 100);
      work.add_chunk(tokens, 0);
      const StageTime t = model->stage(work, 0);
      EXPECT_GE(t.seconds, before_s) << c.gpu << " " << c.llm << " " << tokens;
      EXPECT_GT(t.compute_s, 0);
      EXPECT_LT(t.compute_s, t.seconds);
      before_s = t.seconds;
    }
  }
}

TEST(RooflineLaws, ShortPromptsAreMemoryBoundAndLongOnesNot) {
  const auto model = model_of({"h100_sxm_80g", "llama-3.1-8b"});
  StepWork prompt;
  prompt.add_chunk(4096, 0);
  const StageTime prefill = model->stage(prompt, 0);
  const StageTime step = model->stage(decode(8, 512), 0);
  EXPECT_GT(prefill.compute_s, 0.8 * prefill.seconds);
  EXPECT_LT(step.compute_s, 0.05 * step.seconds);
}

struct Measured {
  Case setup;
  std::int64_t sequences = 0;
  std::int64_t context = 0;
  double tpot_s = 0;
};

// Time per output token of real servers where prompts are few: vLLM on H100. Rows 1 to 6: fixed concurrency, prompts
// of 1,024 and 8,192 output tokens, mean context 5,120. The others: vLLM 0.15, 4 to 10 requests/s, mostly prefix
// hits, with the mean number of running requests. No row was used to fit a constant of the GPU file; the
// wait at all-reduces and the small-kernel floor come from servers of the same kind.
TEST(RooflineAgainstServers, DecodeStepsWithinATenthAndAFifth) {
  const Case fp8_tp2{"h100_sxm_80g", "llama-3.1-70b", 2, DataType::fp8};
  const Case fp8_tp8{"h100_sxm_80g", "llama-3.1-70b", 8, DataType::fp8};
  const std::vector<Measured> rows{
      {fp8_tp2, 4, 5120, 17.97e-3},
      {fp8_tp2, 16, 5120, 22.13e-3},
      {fp8_tp2, 32, 5120, 27.69e-3},
      {fp8_tp8, 4, 5120, 9.20e-3},
      {fp8_tp8, 16, 5120, 11.58e-3},
      {fp8_tp8, 64, 5120, 16.49e-3},
      {{"h100_sxm_80g", "llama-2-7b", 1}, 22, 715, 8.89e-3},
      {{"h100_sxm_80g", "codellama-34b", 2}, 38, 715, 15.17e-3},
      {{"h100_sxm_80g", "llama-2-70b", 4}, 37, 715, 18.71e-3},
  };
  std::vector<double> errors;
  for (const Measured& row : rows) {
    const double step_s = model_of(row.setup)->stage(decode(row.sequences, row.context), 0).seconds;
    errors.push_back(std::abs(step_s / row.tpot_s - 1));
    EXPECT_LT(errors.back(), 0.2) << row.setup.llm << " " << row.sequences << ": " << step_s;
  }
  std::ranges::nth_element(errors, errors.begin() + 4);
  EXPECT_LT(errors[4], 0.1);  // median
}

}  // namespace servecast::roofline_laws_test
