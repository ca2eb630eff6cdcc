// Gateway "dual_threshold": what looks simple is answered fast, what looks complex slowly, and a draft that lacks
// confidence is reviewed (a fast/slow dual system as described by the 2048 AI community, 2025).
//
// Both signals are about one hidden fact: whether the fast model's answer is right. Complexity is the probability
// that it is not, as a judge sees it from class (the table of scores), prompt length ("length") and prompt
// (complexity_auc). Confidence is the probability that it is, once the draft's own token probabilities are known
// (confidence_auc): they cost nothing and are there when the draft is. Both are calibrated, so a judge that guesses
// sends all or nothing, and a threshold's share of requests follows from skill and scores. AUCs: RouteLLM's routers,
// from APGR = p / 2 + (1 - p) AUC where a share p gains, have 0.79 on MT-Bench and 0.57 on MMLU (arXiv 2406.18665);
// token probabilities of GPT-3 have 0.605 (Xiong et al., arXiv 2306.13063). How far the models err on the same
// requests, nested_fraction says, as in "frugal". Put "fast_slow" behind it: that one drafts and reviews.
#include "models/policy/gateway.h"
#include "models/policy/stages/answer_truth.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

// The slope is that of FLenQA (Levy et al., arXiv 2402.14848): 0.92 right at 250 tokens and 0.68 at 3,000, the same
// questions with more text around them: (1.405 - 0.468) / ln 12.
struct LengthEffect {
  double median_tokens = 0;
  double sigma = 0;
  double slope = 0.377;
  void fields(Fields& f) {
    f.required("median_tokens", median_tokens, "of the prompts that come, which the scores are means over", positive);
    f.required("sigma", sigma, "standard deviation of the logarithm of their lengths", {.min = 0, .max = 5});
    f.field("slope", slope, "by which the probit of 'right' falls with each factor e of the length",
            {.min = 0, .max = 5});
  }
};

class DualThreshold final : public GatewayPolicy {
 public:
  struct Settings {
    std::string fast;
    std::string slow;
    double least_confidence = 0.5;
    double most_complexity = 0.6;
    double slow_complexity = 0.9;
    double complexity_auc = 0.65;
    double confidence_auc = 0.6;
    double nested_fraction = 0.5;
    std::optional<LengthEffect> length{};
    ServiceSettings judge{.median_s = 0.006};
    void fields(Fields& f) {
      f.required("fast", fast, "pool or API tier of the fast model");
      f.required("slow", slow, "pool or API tier of the slow model");
      f.field("least_confidence", least_confidence,
              "probability that the draft is right from which on it goes out without a review", fraction);
      f.field("most_complexity", most_complexity,
              "probability that the fast model is wrong up to which it goes out so", fraction);
      f.field("slow_complexity", slow_complexity, "likewise, above which the slow model answers alone", fraction);
      f.field(
          "complexity_auc", complexity_auc,
          "chance that a prompt on which the fast model is wrong looks more complex than one on which it is right; "
          "0.5: the judge guesses",
          {.min = SkilledSignal::least_auc, .max = SkilledSignal::most_auc});
      f.field("confidence_auc", confidence_auc, "chance that a right draft is more confident than a wrong one",
              {.min = SkilledSignal::least_auc, .max = SkilledSignal::most_auc});
      f.field("nested_fraction", nested_fraction,
              "1: whatever the fast model knows, the slow one knows too; 0: they err independently", fraction);
      f.group("length", length, "longer prompts are harder; left out: length says nothing");
      f.group("judge", judge, "what gives the complexity");
    }
  };
  explicit DualThreshold(const Settings& settings)
      : settings_(settings),
        service_(settings.judge),
        complexity_(settings.complexity_auc),
        confidence_(settings.confidence_auc) {}

  std::vector<SettingProblem> problems() const override {
    if (settings_.most_complexity > settings_.slow_complexity)
      return {{"most_complexity", "must not be above 'slow_complexity'"}};
    return {};
  }
  std::vector<NamedTarget> targets() const override { return {{"fast", settings_.fast}, {"slow", settings_.slow}}; }
  std::vector<NamedTarget> scored() const override { return targets(); }
  void prepare(const GatewayContext& context) override {
    quality_ = &context.quality;
    fast_ = context.target(settings_.fast);
    slow_ = context.target(settings_.slow);
  }

  bool wants_review() const override { return true; }
  // Every request draws the same numbers, so that other thresholds judge the same ones.
  StageAction arrive(const StageInput& input) override {
    const double often = right_fraction(fast_, input.outgoing.request);
    const bool right = input.rng.uniform() < often;
    const double complexity = complexity_.probability(complexity_.draw(!right, input.rng), 1 - often);
    const double confidence = confidence_.probability(confidence_.draw(right, input.rng), 1 - complexity);
    const double slow_right =
        next_right(often, right_fraction(slow_, input.outgoing.request), right, settings_.nested_fraction);
    const bool to_slow = complexity > settings_.slow_complexity;
    const bool alone =
        to_slow || (confidence >= settings_.least_confidence && complexity <= settings_.most_complexity);
    input.outgoing.target = to_slow ? slow_ : fast_;
    input.outgoing.reviewed = !alone;
    input.outgoing.score = to_slow ? slow_right : right ? 1.0 : 0.0;
    input.outgoing.review_score = slow_right;
    ++(to_slow ? slow_count_ : alone ? fast_count_ : mixed_count_);
    if (alone && !to_slow && !right) ++wrong_alone_;
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }

  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    return {{"fast", real(fast_count_)},
            {"mixed", real(mixed_count_)},
            {"slow", real(slow_count_)},
            {"wrong_alone", real(wrong_alone_)}};
  }

 private:
  double right_fraction(TargetId target, const Request& request) const {
    const double mean = quality_->score(target, request.request_class).value_or(0);
    if (!settings_.length) return mean;
    const LengthEffect& length = *settings_.length;
    const double ln = stable::log(static_cast<double>(request.prompt_tokens) / length.median_tokens);
    return right_at_length(mean, length.slope, length.sigma, ln);
  }

  Settings settings_;
  GatewayService service_;
  SkilledSignal complexity_;
  SkilledSignal confidence_;
  const AnswerQuality* quality_ = nullptr;
  TargetId fast_{};
  TargetId slow_{};
  std::int64_t fast_count_ = 0;
  std::int64_t mixed_count_ = 0;
  std::int64_t slow_count_ = 0;
  std::int64_t wrong_alone_ = 0;  // of the fast model's answers without a review
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<DualThreshold>(
    "dual_threshold", "complexity and confidence choose: fast, fast with a review, or slow");

}  // namespace
}  // namespace servecast
