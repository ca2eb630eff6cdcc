// What every registered way of making more of a decode step must keep.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "models/policy/early_exit.h"
#include "models/policy/speculative.h"

namespace servecast::decode_contract_test {

template <class Interface>
std::unique_ptr<Interface> make(const std::string& name) {
  return Registry<Interface>::all().at(name).prepare()->make();
}
const auto print_name = [](const auto& policy) { return policy.param; };

class AnySpeculation : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnySpeculation, testing::ValuesIn(Registry<Speculation>::names()), print_name);

/// A step takes `drafts_s` more for every draft; of drafts, 60 % are taken over.
class MadeLoad final : public DraftLoad {
 public:
  MadeLoad(std::int64_t sequences, double drafts_s) : sequences_(sequences), drafts_s_(drafts_s) {}
  std::int64_t sequences() const override { return sequences_; }
  double step_s(std::int64_t drafts) const override { return 1 + drafts_s_ * static_cast<double>(drafts); }
  double tokens(std::int64_t drafts) const override { return (1 - std::pow(0.6, drafts + 1)) / 0.4; }

 private:
  std::int64_t sequences_;
  double drafts_s_;
};

TEST_P(AnySpeculation, StaysWithinItsMostDraftsAndRepeats) {
  const auto one = make<Speculation>(GetParam());
  const auto other = make<Speculation>(GetParam());
  EXPECT_EQ(one->problem(), std::nullopt);
  EXPECT_EQ(one->max_drafts() == 0, GetParam() == "none");
  for (std::int64_t sequences = 0; sequences < 300; sequences += 7)
    for (const double drafts_s : {0.0, 0.1, 1.0, 10.0}) {
      const MadeLoad load(sequences, drafts_s);
      const std::int64_t drafts = one->drafts(load);
      EXPECT_EQ(drafts, other->drafts(load));
      EXPECT_GE(drafts, 0);
      EXPECT_LE(drafts, one->max_drafts());
      EXPECT_GE(one->lookahead_tokens(drafts), 0);
      EXPECT_GE(one->rows(drafts), drafts);
    }
  const Acceptance acceptance(one->acceptance(), {}, 1);
  double before = 0;
  for (std::int64_t k = 0; k <= one->max_drafts(); ++k) {
    const double mean = acceptance.mean_accepted(k);
    EXPECT_GE(mean, before) << "one draft more never means fewer taken over";
    EXPECT_LE(mean, static_cast<double>(k));
    before = mean;
  }
}

class AnyEarlyExit : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyEarlyExit, testing::ValuesIn(Registry<EarlyExit>::names()), print_name);

TEST_P(AnyEarlyExit, EitherLeavesOrDraftsInsideTheModel) {
  const auto one = make<EarlyExit>(GetParam());
  const Llm llm{.name = "llama-2-7b", .layers = 32};
  ASSERT_EQ(one->problem(llm), std::nullopt);
  EXPECT_FALSE(one->exits(llm) && one->self_drafting()) << "one or the other";
  if (const auto exits = one->exits(llm)) {
    EXPECT_EQ(exits->layers(), llm.layers);
    for (const double u : {0.0, 0.3, 0.7, 0.999}) {
      EXPECT_GE(exits->deepest(1, u), 1);
      EXPECT_LE(exits->deepest(64, u), llm.layers);
      EXPECT_LE(exits->deepest(1, u), exits->deepest(2, u)) << "more tokens never leave sooner";
    }
  }
  if (const auto drafting = one->self_drafting()) {
    EXPECT_LT(drafting->drafter().first_layers, llm.layers);
    EXPECT_NE(one->problem({.name = "short", .layers = drafting->drafter().first_layers}), std::nullopt);
  }
  const ExitTerms terms = one->terms(llm);
  EXPECT_GE(std::min({terms.draft_layers, terms.predictors, terms.predictor_s, terms.checks}), 0);
  EXPECT_GE(one->tokens_per_draft(), 0);
  EXPECT_LE(one->tokens_per_draft(), 1);
}

}  // namespace servecast::decode_contract_test
