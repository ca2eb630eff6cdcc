// Gateway "dual_threshold": a request whose intent is clear and whose task is simple is answered fast, a complex one
// slowly, the rest fast with a review (a fast/slow dual system as described by the 2048 AI community, 2025).
//
// Confidence and complexity are ranks among all requests, so thresholds are shares: confident_above 0.1 leaves the
// tenth whose intent is least clear to the review. The two are independent, since no publication says how they go
// together, and say nothing about scores. Put "fast_slow" behind it: that one drafts and reviews.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class DualThreshold final : public GatewayPolicy {
 public:
  struct Settings {
    std::string fast;
    std::string slow;
    double confident_above = 0.1;
    double simple_below = 0.9;
    double complex_above = 0.99;
    ServiceSettings judge{.median_s = 0.006};
    void fields(Fields& f) {
      f.required("fast", fast, "pool or API tier of the fast model");
      f.required("slow", slow, "pool or API tier of the slow model");
      f.field("confident_above", confident_above,
              "rank of the least confidence with which the fast model answers alone", fraction);
      f.field("simple_below", simple_below, "rank of the greatest complexity with which it does so", fraction);
      f.field("complex_above", complex_above, "rank of complexity above which the slow model answers alone",
              fraction);
      f.group("judge", judge, "what gives the two numbers");
    }
  };
  explicit DualThreshold(const Settings& settings) : settings_(settings), service_(settings.judge) {}

  std::vector<SettingProblem> problems() const override {
    if (settings_.simple_below > settings_.complex_above)
      return {{"simple_below", "must not be above 'complex_above'"}};
    return {};
  }
  std::vector<NamedTarget> targets() const override { return {{"fast", settings_.fast}, {"slow", settings_.slow}}; }
  void prepare(const GatewayContext& context) override {
    fast_ = context.target(settings_.fast);
    slow_ = context.target(settings_.slow);
  }

  bool wants_review() const override { return true; }
  StageAction arrive(const StageInput& input) override {
    const double confidence = input.rng.uniform();
    const double complexity = input.rng.uniform();
    const bool to_slow = complexity > settings_.complex_above;
    const bool alone = to_slow || (confidence >= settings_.confident_above && complexity <= settings_.simple_below);
    input.outgoing.target = to_slow ? slow_ : fast_;
    input.outgoing.reviewed = !alone;
    ++(to_slow ? slow_count_ : alone ? fast_count_ : mixed_count_);
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }

  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    return {{"fast", real(fast_count_)}, {"mixed", real(mixed_count_)}, {"slow", real(slow_count_)}};
  }

 private:
  Settings settings_;
  GatewayService service_;
  TargetId fast_{};
  TargetId slow_{};
  std::int64_t fast_count_ = 0;
  std::int64_t mixed_count_ = 0;
  std::int64_t slow_count_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<DualThreshold>(
    "dual_threshold", "confidence and complexity choose: fast, fast with a review, or slow");

}  // namespace
}  // namespace servecast
