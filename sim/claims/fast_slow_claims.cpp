#include <fmt/format.h>

#include <cmath>

#include "models/base/units.h"
#include "models/hw/power_cost/cost.h"
#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"

namespace servecast {
namespace {

constexpr double cny_per_usd = 7.2;
constexpr double escalated = 0.013;
constexpr double fast_cny = 0.0003;  // an answer, as the article prices them
constexpr double slow_cny = 0.03;
constexpr double slow_s = 100;
const Served fast_8b{"llama-3.1-8b", "a100_sxm_80g"};
const Served fast_32b{"qwen2.5-32b", "a100_sxm_80g"};
const Served fast_32b_on_eight{"qwen2.5-32b", "a100_sxm_80g", 8};
const Served slow_70b{"llama-3.1-70b", "h100_sxm_80g", 8};

Finding slow_answer_price(ClaimModels& models) {
  const double cny = rent_usd(models.gpu("h100_sxm_80g").usd_per_hour, 1, slow_s) * cny_per_usd;
  return {cny,
          fmt::format("one H100 for 100 s, at 7.2 yuan a dollar; 0.03 needs {:.0f} such answers at once on each GPU. "
                      "By these prices a second of the slow path costs a tenth of one of the fast",
                      std::ceil(cny / slow_cny))};
}

Finding saving(ClaimModels&) {
  const double mixed = (1 - escalated) * fast_cny + escalated * slow_cny;
  const double slow_share = (0.55 * slow_cny - fast_cny) / (slow_cny - fast_cny);
  return {percent * (1 - mixed / slow_cny),
          fmt::format("its own prices with its 1.3 % escalated, against all slow; 45 % "
                      "would be {:.1f} % on the slow path",
                      percent * slow_share)};
}

Finding before_time_out(ClaimModels&) {
  return {percent * (1 - std::exp(-15 / slow_s)),
          "of exponential times with a mean of 100 s; the rest meets the fall-back"};
}

std::int64_t tokens_within(ClaimModels& models, const Served& served, double seconds) {
  std::int64_t tokens = 0;
  while (models.request_s(served, 128, tokens + 1) <= seconds) ++tokens;
  return tokens;
}

Finding fast_answer(ClaimModels& models) {
  const double seconds = models.request_s(fast_8b, 128, 128);
  return {seconds * ms_per_s,
          fmt::format("128 tokens after 128, an 8B model on an A100 to itself; within 120 ms come {} tokens, {} "
                      "from 32B, {} from 32B on all eight",
                      tokens_within(models, fast_8b, 0.12), tokens_within(models, fast_32b, 0.12),
                      tokens_within(models, fast_32b_on_eight, 0.12))};
}

Finding shared_prefix(ClaimModels& models) {
  const double prompt_s = models.prefill_s(slow_70b, 2048);
  return {percent * prompt_s / slow_s,
          fmt::format("another model's KV cannot be used; the same text cached by the slow model "
                      "saves at most its prompt, {:.0f} ms of 2,048 tokens in a job of 100 s",
                      prompt_s * ms_per_s)};
}

Finding report(ClaimModels& models) {
  constexpr double tokens = 25000;  // 40 pages of 500 to 750 tokens
  const double token_s = models.decode_s(slow_70b, 1, 8192);
  return {tokens * token_s,
          fmt::format("25,000 tokens one after the other, 70B on eight H100 at {:.1f} ms each; {:.0f} sections "
                      "written beside each other keep it",
                      token_s * ms_per_s, std::ceil(tokens * token_s / 180))};
}

}  // namespace

std::vector<Claim> fast_slow_claims() {
  return {
      {'A', "a slow answer of 100 s costs 0.03 yuan", Says::is, 0.03, "yuan", slow_answer_price},
      {'A', "sending 1.3 % to the slow model cuts cost by 45 %", Says::is, 45, "%", saving},
      {'A', "most slow answers come before the fall-back at 15 s", Says::at_least, 50, "%", before_time_out},
      {'A', "the fast model, 8B to 32B, answers in 120 ms", Says::at_most, 120, "ms", fast_answer},
      {'A', "the fast model's KV as the slow one's prefix saves 30 % of its compute", Says::is, 30, "%",
       shared_prefix},
      {'A', "a report of 40 pages is written in 3 minutes", Says::at_most, 180, "s", report},
  };
}

}  // namespace servecast
