#include "sim/claims/claim.h"

#include <algorithm>
#include <array>

#include "sim/claims/claim_models.h"

namespace servecast {
namespace {

constexpr double close = 1.1;  // figures stated in two digits and models with errors of some percent

constexpr std::array articles{
    ClaimArticle{'A', "a fast and a slow model behind one input box, on 8 A100 and 16 H100"},
    ClaimArticle{'B', "a primer on inference: KV cache, batching, quantisation, beam search"},
    ClaimArticle{'C', "research talk: disaggregation, speculative early exit, models on devices"},
    ClaimArticle{'D', "prompt engineering measured through an API (DeepSeek-V3, seven runs at most)"},
    ClaimArticle{'E', "substituting experts of a mixture that are not in GPU memory"},
};

ClaimVerdict factor_of(std::string_view word, double larger, double smaller) {
  return {.word = word, .factor = smaller > 0 ? larger / smaller : 0};
}

}  // namespace

ClaimVerdict verdict(Says says, StatedFigure stated, StatedFigure computed) {
  const bool too_large = stated.low > computed.high * close;
  const bool too_small = computed.low > stated.high * close;
  if (too_large && says != Says::at_most) return factor_of("overstated", stated.low, computed.high);
  if (too_small && says != Says::at_least) return factor_of("understated", computed.low, stated.high);
  return {.word = "holds"};
}

std::span<const ClaimArticle> claim_articles() { return articles; }

std::vector<CheckedClaim> check_claims() {
  ClaimModels models;
  std::vector<CheckedClaim> checked;
  for (const auto& subject :
       {memory_claims, arithmetic_claims, prompt_claims, fast_slow_claims, fleet_claims, published_claims})
    for (const Claim& claim : subject()) {
      Finding finding = claim.compute(models);
      const ClaimVerdict found = verdict(claim.says, claim.stated, finding.value);
      checked.push_back({.claim = claim, .finding = std::move(finding), .verdict = found});
    }
  std::ranges::stable_sort(checked, {}, [](const CheckedClaim& c) { return c.claim.article; });
  return checked;
}

}  // namespace servecast
