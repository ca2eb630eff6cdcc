// Gateway "classifier": a small model says which requests are hard; those go to the better model.
//
// Like "threshold" with a decision instead of a probability. What it calls hard is wrong in a share of cases, either
// way: hard requests then get a poor answer, easy ones a dear one. 6 to 25 ms for a small language model or a BERT.
// Scores: hard requests are those on which the better model leads, so a share h of hard ones holds the whole lead,
// and both do equally well on easy ones. Of the other model's mistakes as many as can be are on hard requests (no
// published split is known): with a score q it gets min(1, q / (1 - h)) of the easy ones right and what is left of q
// of the hard ones, of which the better one gets lead / h more. So a classifier that is right more often never scores
// worse.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class Classifier final : public GatewayPolicy {
 public:
  struct Settings {
    std::string easy;
    std::string hard;
    double hard_fraction = 0.2;
    double right_fraction = 0.9;
    ServiceSettings classifier{.median_s = 0.012};
    void fields(Fields& f) {
      f.required("easy", easy, "pool or API tier for easy requests");
      f.required("hard", hard, "pool or API tier for hard requests");
      f.field("hard_fraction", hard_fraction, "share of requests that are hard", fraction);
      f.field("right_fraction", right_fraction, "share of its decisions that are right, of hard and easy alike",
              fraction);
      f.group("classifier", classifier, "the small model (6 to 25 ms)");
    }
  };
  explicit Classifier(const Settings& settings) : settings_(settings), service_(settings.classifier) {}

  std::vector<NamedTarget> targets() const override { return {{"easy", settings_.easy}, {"hard", settings_.hard}}; }
  std::vector<SettingProblem> problems_with(const GatewayContext& context, ClassId request_class) const override {
    const auto other = context.quality.score(context.target(settings_.easy), request_class);
    const auto better = context.quality.score(context.target(settings_.hard), request_class);
    if (!other || !better) return {};
    const double lead = *better - *other;
    if (lead > settings_.hard_fraction)
      return {
          {"hard_fraction",
           "must be at least the lead of 'hard' over 'easy' in the table of scores, which hard requests alone hold"}};
    return {};
  }
  void prepare(const GatewayContext& context) override {
    quality_ = &context.quality;
    easy_ = context.target(settings_.easy);
    hard_ = context.target(settings_.hard);
  }

  StageAction arrive(const StageInput& input) override {
    const bool is_hard = input.rng.uniform() < settings_.hard_fraction;
    const bool right = input.rng.uniform() < settings_.right_fraction;
    const bool sent_as_hard = is_hard == right;
    input.outgoing.target = sent_as_hard ? hard_ : easy_;
    if (sent_as_hard) ++sent_as_hard_;
    if (!right) ++(is_hard ? hard_as_easy_ : easy_as_hard_);
    input.outgoing.score = score(input.outgoing.request.request_class, is_hard, sent_as_hard);
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }

  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    return {{"sent_as_hard", real(sent_as_hard_)},
            {"hard_as_easy", real(hard_as_easy_)},
            {"easy_as_hard", real(easy_as_hard_)}};
  }

 private:
  std::optional<double> score(ClassId request_class, bool is_hard, bool by_better) const {
    const auto other = quality_->score(easy_, request_class);
    const auto better = quality_->score(hard_, request_class);
    if (!other || !better) return std::nullopt;
    const double easy_fraction = 1 - settings_.hard_fraction;
    const double on_easy = easy_fraction > 0 ? std::min(1.0, *other / easy_fraction) : 1;
    if (!is_hard) return on_easy;
    const double on_hard = (*other - easy_fraction * on_easy) / settings_.hard_fraction;
    return on_hard + (by_better ? std::max(-on_hard, (*better - *other) / settings_.hard_fraction) : 0);
  }

  Settings settings_;
  GatewayService service_;
  const AnswerQuality* quality_ = nullptr;
  TargetId easy_{};
  TargetId hard_{};
  std::int64_t sent_as_hard_ = 0;
  std::int64_t hard_as_easy_ = 0;
  std::int64_t easy_as_hard_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Classifier>("classifier", "a small model sends hard requests to the better model");

}  // namespace
}  // namespace servecast
