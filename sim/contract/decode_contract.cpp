// What every way of making more of a decode step keeps.
#include <algorithm>
#include <cmath>

#include "models/policy/early_exit.h"
#include "models/policy/speculative.h"
#include "sim/contract/checks.h"
#include "sim/contract/contract.h"

namespace servecast {
namespace {

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

void exits_inside_the_model(const ExitLayers& exits, const Llm& llm, Findings& found) {
  found.expect(exits.layers() == llm.layers, "knows how many layers the model has");
  for (const double u : {0.0, 0.3, 0.7, 0.999}) {
    found.expect(exits.deepest(1, u) >= 1, "runs at least one layer");
    found.expect(exits.deepest(64, u) <= llm.layers, "runs no more layers than there are");
    found.expect(exits.deepest(1, u) <= exits.deepest(2, u), "more tokens never leave sooner");
  }
}

}  // namespace

void speculation_stays_within_its_drafts(const Subject& subject, Findings& found) {
  const auto one = subject.make<Speculation>();
  const auto other = subject.make<Speculation>();
  found.expect(!one->problem(), "has no problem with its settings");
  for (std::int64_t sequences = 0; sequences < 300; sequences += 7)
    for (const double drafts_s : {0.0, 0.1, 1.0, 10.0}) {
      const MadeLoad load(sequences, drafts_s);
      const std::int64_t drafts = one->drafts(load);
      found.expect(drafts == other->drafts(load), "drafts the same for the same load");
      found.expect(drafts >= 0 && drafts <= one->max_drafts(), "drafts no more than max_drafts()");
      found.expect(one->lookahead_tokens(drafts) >= 0, "lookahead_tokens() is no less than 0");
      found.expect(one->rows(drafts) >= drafts, "a draft is a row at least");
    }
  const Acceptance acceptance(one->acceptance(), {}, 1);
  double before = 0;
  for (std::int64_t k = 0; k <= one->max_drafts(); ++k) {
    const double mean = acceptance.mean_accepted(k);
    found.expect(mean >= before, "one draft more never means fewer taken over");
    found.expect(mean <= static_cast<double>(k), "no more are taken over than were drafted");
    before = mean;
  }
}

void early_exit_leaves_or_drafts(const Subject& subject, Findings& found) {
  const auto one = subject.make<EarlyExit>();
  const Llm llm{.name = "llama-2-7b", .layers = 32};
  if (!found.expect(!one->problem(llm), "has no problem with a model of 32 layers")) return;
  found.expect(!(one->exits(llm) && one->self_drafting()), "tokens leave early or are drafted, not both");
  if (const auto exits = one->exits(llm)) exits_inside_the_model(*exits, llm, found);
  if (const auto drafting = one->self_drafting()) {
    const std::int64_t layers = drafting->drafter().first_layers;
    found.expect(layers < llm.layers, "drafts with fewer layers than there are");
    found.expect(one->problem({.name = "short", .layers = layers}).has_value(),
                 "refuses a model without more layers");
  }
  const ExitTerms terms = one->terms(llm);
  found.expect(std::min({terms.draft_layers, terms.predictors, terms.predictor_s, terms.checks}) >= 0,
               "terms are no less than 0");
  const double per_draft = one->tokens_per_draft();
  found.expect(per_draft >= 0 && per_draft <= 1, "tokens_per_draft() is a share");
}

}  // namespace servecast
