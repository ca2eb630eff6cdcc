#include <fmt/format.h>

#include <cmath>

#include "sim/claims/claim.h"
#include "sim/claims/claim_models.h"

namespace servecast {
namespace {

// What these rest on was measured by the systems' authors; docs/reproductions.md holds the simulator against them.

Finding semi_pd(ClaimModels&) {
  constexpr double least = 1.27;
  constexpr double most = 2.58;
  return {{percent * (1 - 1 / least), percent * (1 - 1 / most)},
          fmt::format("semi-PD's authors: {} to {} times as fast as SGLang (arXiv 2504.19867)", least, most),
          Basis::published};
}

Finding spec_ee(ClaimModels&) {
  return {{1.25, 2.43},
          "SpecEE's tables (ISCA'25): at most 2.43 on a laptop with all three parts, 1.25 to 1.44 typically",
          Basis::published};
}

Finding buddy_accuracy(ClaimModels&) {
  constexpr double before = 0.735;
  constexpr double after = 0.695;
  return {percent * (before - after),
          "points of mean accuracy at 75 % of the experts in memory, for 7.4 % more speed "
          "(BuddyMoE, arXiv 2511.10054); 10.3 % came only at 37.5 %, which costs more",
          Basis::published};
}

Finding buddy_share(ClaimModels&) {
  return {percent * 3 / 6, "three of a token's six experts may be replaced in the runs behind these figures",
          Basis::published};
}

Finding doubling(ClaimModels& models) {
  constexpr double months = 22;  // A100 announced May 2020, H100 March 2022
  const double growth =
      models.gpu("h100_sxm_80g").peaks.bf16_flop_per_s / models.gpu("a100_sxm_80g").peaks.bf16_flop_per_s;
  return {
      6,
      fmt::format("arithmetic that training runs ask for, worldwide: about 6 months since 2010 (Sevilla et al., "
                  "arXiv 2202.05924); 3.4 is OpenAI's count of the largest runs of 2012 to 2018 (AI and Compute). "
                  "GPUs do not keep up with either: A100 to H100 is x {:.2f} in 22 months, {:.1f} to double",
                  growth, months / std::log2(growth)),
      Basis::published};
}

}  // namespace

std::vector<Claim> published_claims() {
  return {
      {'C', "semi-PD answers 40 % sooner than SGLang", Says::is, 40, "%", semi_pd},
      {'C', "SpecEE is 3 times as fast on a device", Says::is, 3, "x", spec_ee},
      {'C', "AI compute doubles every 3 to 4 months", Says::is, {3, 4}, "months", doubling},
      {'E', "substituting experts costs less than 2 % accuracy and is up to 10 % faster", Says::at_most, 2, "points",
       buddy_accuracy},
      {'E', "less than 20 % of the experts are replaced", Says::at_most, 20, "%", buddy_share},
  };
}

}  // namespace servecast
