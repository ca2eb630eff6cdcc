#include <fmt/format.h>

#include "models/base/units.h"
#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"

namespace servecast {
namespace {

// The article measured an API whose hardware it does not know. DeepSeek-V3 on eight H200 stands for it here; small
// models stand for its "lite" ones, whose sizes were not published.
const Served deepseek{"deepseek-v3", "h200_sxm_141g", 8, DataType::fp8_block};
const Served large{"llama-3.1-70b", "h100_sxm_80g", 4};
const Served lite{"llama-3.1-8b", "h100_sxm_80g"};

double saved_ms(ClaimModels& models, std::int64_t before, std::int64_t after) {
  return (models.prefill_s(deepseek, before) - models.prefill_s(deepseek, after)) * ms_per_s;
}

Finding trimming(ClaimModels& models) {
  return {saved_ms(models, 522, 201),
          fmt::format(
              "the counts include the answer: the prompt went from 522 to 201 tokens. The same article's ten-turn "
              "test pays 0.14 ms a token, {:.0f} ms for these 321: the rest was queue and hour of day",
              0.14 * 321)};
}

Finding turns(ClaimModels& models) {
  return {saved_ms(models, 5283, 18),
          "computing 5,283 prompt tokens instead of 18, alone on the GPUs; a queue adds to it, "
          "a prefix cache takes nearly the whole away"};
}

Finding compression(ClaimModels& models) {
  const double summary_s = models.request_s(deepseek, 1927, 716);
  return {saved_ms(models, 1927, 716),
          fmt::format("1,927 prompt tokens become 716; writing those takes {:.0f} s once, by "
                      "the same model, so a summary pays only where it is used often",
                      summary_s)};
}

Finding lite_model(ClaimModels& models) {
  const auto ratio = [&](std::int64_t prompt, std::int64_t output) {
    return models.request_s(large, prompt, output) / models.request_s(lite, prompt, output);
  };
  const double first = models.prefill_s(large, 377) / models.prefill_s(lite, 377);
  return {{ratio(377, 28), first},
          fmt::format("70B on four H100 against 8B on one: {:.1f} times in the answer's time, {:.1f} in "
                      "the prompt's alone; a single run each",
                      ratio(377, 28), first)};
}

}  // namespace

std::vector<Claim> prompt_claims() {
  return {
      {'D', "trimming a prompt from 862 to 569 tokens cuts TTFT by 616 ms", Says::is, 616, "ms", trimming},
      {'D', "ten turns of context cost 735 ms of TTFT", Says::is, 735, "ms", turns},
      {'D', "compressing the history from 2,294 to 838 tokens saves 452 ms", Says::is, 452, "ms", compression},
      {'D', "a lite model is 1.6 to 3.5 times as fast", Says::is, {1.6, 3.5}, "x", lite_model},
  };
}

}  // namespace servecast
