// Gateway "frugal": models are asked one after the other, cheapest first; a scorer judges each answer, and the first
// that is good enough goes out (FrugalGPT, arXiv 2305.05176).
//
// Saves where a cheap model is often right and the scorer can tell. Its latency is the sum over the models asked,
// scorer included, and nothing of an answer is seen before it is accepted; only the last model streams. So it loses
// on the time to first token, always. The scorer's signal is normal, higher by what its AUC says where the answer is
// right, and its score is the probability of that given the signal. How often a model is right, the scenario's table
// of scores says. Two models are wrong on the same requests or independently of each other: "nested_fraction" mixes
// the two. On HEADLINES GPT-J was right on 6 % of the requests, where GPT-4 was not (FrugalGPT, section 4), about
// half of what independence would give.
#include "models/policy/gateway.h"
#include "models/policy/stages/answer_truth.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class Frugal final : public GatewayPolicy {
 public:
  struct Settings {
    std::vector<std::string> models{};
    std::vector<double> accept_above{};
    double scorer_auc = 0.8;
    double nested_fraction = 0.5;
    ServiceSettings scorer{.median_s = 0.010};
    void fields(Fields& f) {
      f.required("models", models, "pools or API tiers in the order in which they are asked");
      f.required("accept_above", accept_above,
                 "least score of an answer that is accepted: of each model but the last", fraction);
      f.field("scorer_auc", scorer_auc, "chance that a right answer scores higher than a wrong one; 0.5: it guesses",
              {.min = SkilledSignal::least_auc, .max = SkilledSignal::most_auc});
      f.field(
          "nested_fraction", nested_fraction,
          "1: whatever a model knows, a better one knows too; 0: whether one is right does not depend on the others",
          fraction);
      f.group("scorer", scorer, "the judge (a DistilBERT)");
    }
  };
  explicit Frugal(const Settings& settings)
      : settings_(settings),
        service_(settings.scorer),
        signal_(settings.scorer_auc),
        answers_(settings.models.size()) {}

  std::vector<SettingProblem> problems() const override {
    if (settings_.models.size() < 2) return {{"models", "needs two or more: cheap ones first"}};
    if (settings_.accept_above.size() + 1 != settings_.models.size())
      return {{"accept_above", "needs one entry for each model but the last"}};
    return {};
  }
  std::vector<NamedTarget> targets() const override {
    std::vector<NamedTarget> all;
    for (const std::string& model : settings_.models) all.push_back({"models", model});
    return all;
  }
  std::vector<NamedTarget> scored() const override { return targets(); }
  bool sees_answers() const override { return true; }
  bool asks_again() const override { return true; }
  void prepare(const GatewayContext& context) override {
    quality_ = &context.quality;
    for (const std::string& model : settings_.models) models_.push_back(context.target(model));
  }

  StageAction arrive(const StageInput& input) override {
    input.outgoing.target = models_.front();
    input.outgoing.held = true;
    input.note.number = 0;
    return {};
  }

  // The last answer is taken as it is. Its expected score was known when it was asked for.
  GatewayVerdict answered(const StageInput& input, const GatewayAnswer& answer) override {
    const auto stage = static_cast<std::size_t>(std::ranges::find(models_, answer.target) - models_.begin());
    const bool taken_back = static_cast<std::int64_t>(stage) < input.note.number;  // the next model had none
    if (stage + 1 >= models_.size() || taken_back) {
      if (stage < models_.size()) ++answers_[stage];
      return {};
    }
    const double right_fraction = stage == 0 ? score_of(input, 0) : input.note.value;
    const bool right = input.rng.uniform() < right_fraction;
    GatewayVerdict verdict{.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
    verdict.score = right ? 1.0 : 0.0;
    if (signal_.probability(signal_.draw(right, input.rng), score_of(input, stage)) >=
        settings_.accept_above[stage]) {
      ++answers_[stage];
      return verdict;
    }
    input.note.number += 1;
    input.note.value =
        next_right(score_of(input, stage), score_of(input, stage + 1), right, settings_.nested_fraction);
    const bool last = stage + 2 == models_.size();
    verdict.again = NextCall{.target = models_[stage + 1],
                             .prompt_tokens = input.outgoing.request.prompt_tokens,
                             .output_tokens = input.outgoing.request.output_tokens,
                             .held = !last,
                             .score = input.note.value};
    return verdict;
  }

  std::vector<PolicyCount> counts() const override {
    std::vector<PolicyCount> all;
    for (std::size_t i = 0; i < answers_.size(); ++i)
      all.push_back({"answers_of_" + settings_.models[i], static_cast<double>(answers_[i])});
    return all;
  }

 private:
  double score_of(const StageInput& input, std::size_t stage) const {
    return quality_->score(models_[stage], input.outgoing.request.request_class).value_or(0);
  }

  Settings settings_;
  GatewayService service_;
  SkilledSignal signal_;
  const AnswerQuality* quality_ = nullptr;
  std::vector<TargetId> models_{};
  std::vector<std::int64_t> answers_;  // that went out, by model
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Frugal>(
    "frugal", "cheap models first; a scorer accepts the answer or asks the next (FrugalGPT)");

}  // namespace
}  // namespace servecast
