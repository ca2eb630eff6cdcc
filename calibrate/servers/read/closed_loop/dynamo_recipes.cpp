#include "calibrate/servers/read/closed_loop/dynamo_recipes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/servers/read/csv_rows.h"
#include "models/policy/support/acceptance.h"

namespace servecast {
namespace {

/// A row of nvidia-master.yaml: DECODE_MAX_BATCH_SIZE, DECODE_GPU_MEM_FRACTION, DECODE_MTP_SIZE.
struct DecodeRecipe {
  std::string_view llm;
  std::int64_t prompt_tokens;
  std::int64_t prefill_workers;
  std::int64_t workers;
  std::int64_t gpus;
  bool own_requests;
  bool drafts;
  DecodeStep step;
};
constexpr auto decode_recipes = std::to_array<DecodeRecipe>({
    {"deepseek-v3", 1024, 1, 4, 8, false, false, {.sequences = 128, .memory = 0.9}},
    {"deepseek-v3", 1024, 1, 1, 32, true, false, {.sequences = 32, .memory = 0.7}},
    {"deepseek-v3", 1024, 1, 1, 16, true, false, {.sequences = 64, .memory = 0.75}},
    {"deepseek-v3", 1024, 2, 1, 16, true, false, {.sequences = 256, .memory = 0.75}},
    {"deepseek-v3", 1024, 1, 1, 8, true, false, {.sequences = 512, .memory = 0.8}},
    {"deepseek-v3", 1024, 1, 4, 8, false, true, {.sequences = 32, .memory = 0.9, .drafts = 3}},
    {"deepseek-v3", 1024, 1, 1, 16, true, true, {.sequences = 64, .memory = 0.7, .drafts = 3}},
    {"deepseek-v3", 1024, 2, 1, 16, true, true, {.sequences = 128, .memory = 0.7, .drafts = 1}},
    {"deepseek-v3", 1024, 1, 1, 32, true, true, {.sequences = 16, .memory = 0.6, .drafts = 3}},
    {"deepseek-v3", 1024, 1, 1, 8, true, true, {.sequences = 256, .memory = 0.8, .drafts = 1}},
    {"deepseek-v3", 8192, 1, 3, 8, false, false, {.sequences = 32, .memory = 0.9}},
    {"deepseek-v3", 8192, 4, 1, 32, true, false, {.sequences = 16, .memory = 0.7}},
    {"deepseek-v3", 8192, 6, 1, 16, true, false, {.sequences = 64, .memory = 0.75}},
    {"deepseek-v3", 8192, 8, 1, 16, true, false, {.sequences = 128, .memory = 0.75}},
    {"deepseek-v3", 8192, 5, 1, 8, true, false, {.sequences = 256, .memory = 0.8}},
    {"deepseek-v3", 8192, 1, 3, 8, false, true, {.sequences = 16, .memory = 0.9, .drafts = 3}},
    {"deepseek-v3", 8192, 5, 1, 32, true, true, {.sequences = 8, .memory = 0.7, .drafts = 3}},
    {"deepseek-v3", 8192, 8, 1, 32, true, true, {.sequences = 16, .memory = 0.7, .drafts = 3}},
    {"deepseek-v3", 8192, 8, 1, 16, true, true, {.sequences = 64, .memory = 0.75, .drafts = 2}},
    {"deepseek-v3", 8192, 6, 1, 8, true, true, {.sequences = 256, .memory = 0.8, .drafts = 1}},
    {"gpt-oss-120b", 1024, 1, 1, 4, false, false, {.sequences = 256}},
    {"gpt-oss-120b", 1024, 1, 4, 2, false, false, {.sequences = 32}},
    {"gpt-oss-120b", 1024, 1, 1, 2, true, false, {.sequences = 1536}},
    {"gpt-oss-120b", 1024, 1, 2, 2, true, false, {.sequences = 1536}},
    {"gpt-oss-120b", 1024, 1, 1, 4, true, false, {.sequences = 512}},
    {"gpt-oss-120b", 1024, 1, 3, 4, true, false, {.sequences = 1024}},
    {"gpt-oss-120b", 8192, 1, 1, 8, false, false, {.sequences = 4}},
    {"gpt-oss-120b", 8192, 1, 1, 4, false, false, {.sequences = 128}},
    {"gpt-oss-120b", 8192, 2, 1, 4, false, false, {.sequences = 1024}},
    {"gpt-oss-120b", 8192, 2, 1, 2, false, false, {.sequences = 512}},
    {"gpt-oss-120b", 8192, 2, 1, 2, true, false, {.sequences = 512}},
});

/// max_batch_size and max_num_tokens of prefill workers, for prompts of 1,024 tokens and longer ones. The first that
/// fits holds; "" is any.
struct PrefillRecipe {
  std::string_view llm;
  std::string_view dynamo;  // how its version begins
  std::string_view gpu;     // how its name begins
  std::string_view weights;
  PrefillStep brief;
  PrefillStep lengthy;
};
constexpr auto prefill_recipes = std::to_array<PrefillRecipe>({
    {"gpt-oss-120b", "", "", "", {32, 20000}, {32, 20000}},
    {"deepseek-v3", "0.5", "", "", {4, 4608}, {1, 8448}},
    {"deepseek-v3", "", "gb", "", {16, 16384}, {2, 16640}},
    {"deepseek-v3", "", "h100", "fp8_block", {2, 2048}, {1, 8224}},
    {"deepseek-v3", "", "b200", "fp8_block", {16, 16384}, {1, 8320, true}},
    {"deepseek-v3", "", "", "", {8, 10240}, {2, 16896}},
});

bool is_of(const PrefillRecipe& r, const RecipeWorkers& d) {
  return r.llm == d.llm && d.dynamo.starts_with(r.dynamo) && d.gpu.starts_with(r.gpu) &&
         (r.weights.empty() || r.weights == d.weights);
}

bool is_of(const DecodeRecipe& r, const RecipeWorkers& d) {
  return r.llm == d.llm && r.prompt_tokens == d.prompt_tokens && r.prefill_workers == d.prefill_workers &&
         r.workers == d.decode_workers && r.gpus == d.decode_gpus && r.own_requests == d.own_requests &&
         r.drafts == d.drafts;
}

}  // namespace

std::optional<PrefillStep> recipe_prefill_step(const RecipeWorkers& d) {
  const auto found = std::ranges::find_if(prefill_recipes, [&](const PrefillRecipe& r) { return is_of(r, d); });
  if (found == prefill_recipes.end()) return std::nullopt;
  return d.prompt_tokens > 1024 ? found->lengthy : found->brief;
}

DecodeStep recipe_decode_step(const RecipeWorkers& d) {
  const auto found = std::ranges::find_if(decode_recipes, [&](const DecodeRecipe& r) { return is_of(r, d); });
  if (found == decode_recipes.end())
    throw NoMatch(fmt::format("InferenceMAX has no recipe of {} prefill workers and {} decode workers of {} GPUs",
                              d.prefill_workers, d.decode_workers, d.decode_gpus));
  return found->step;
}

double tokens_per_step(double itl_s, double tpot_s, double output_tokens) {
  return 1 / (static_cast<double>(dynamo_stream_interval) * (tpot_s / itl_s - 0.5 / (output_tokens - 1)));
}

double tokens_per_step_elsewhere(std::int64_t drafts, std::int64_t prompt_tokens, std::int64_t output_tokens) {
  const bool long_prompts = prompt_tokens > 1024;
  if (output_tokens > 1024 || (drafts != 1 && drafts != 3))
    throw NoMatch("drafts (multi-token prediction): no row tells how often such are right");
  if (drafts == 1) return long_prompts ? 1.8 : 1.77;
  return long_prompts ? 2.46 : 2.34;
}

double acceptance_of(double tokens, std::int64_t drafts) {
  const auto made = [&](double chance) {
    return 1 + Acceptance({.rate_fraction = chance}, {}, 0).mean_accepted(drafts);
  };
  double low = 0;
  double high = 1;
  for (int i = 0; i < 50; ++i) {
    const double middle = (low + high) / 2;
    (made(middle) < tokens ? low : high) = middle;
  }
  return high;
}

}  // namespace servecast
