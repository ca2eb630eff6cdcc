// Gateway "threshold": a router gives each request a probability that the strong model's answer wins; from alpha on
// the strong model answers, else the weak one (RouteLLM, arXiv 2406.18665).
//
// Saves most where the two models differ little in quality and much in price, and where the router can tell
// (apgr well above 0.5; see router_skill.h). A router that guesses saves nothing that a coin would not. Every request
// pays the router's own time: 6 to 24 ms for those published (mf 155, BERT 69.6, causal 42.5 requests/s). Scores: at
// rank r the strong model's expected lead is gap * gain(r); what both can answer does not depend on the rank
// otherwise. The win probability is that lead: an answer that both get right, or neither, is no win.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"
#include "models/policy/stages/router_skill.h"

namespace servecast {
namespace {

class Threshold final : public GatewayPolicy {
 public:
  struct Settings {
    std::string strong;
    std::string weak;
    double apgr = RouterSkill::least_apgr;
    std::optional<double> alpha{};
    std::optional<double> strong_fraction{};
    ServiceSettings router{.median_s = 0.0065};
    void fields(Fields& f) {
      f.required("strong", strong, "pool or API tier of the better model");
      f.required("weak", weak, "pool or API tier of the cheaper model");
      f.field("apgr", apgr, "the router's skill: mean share of the quality gap recovered; 0.5: it guesses",
              {.min = RouterSkill::least_apgr, .max = RouterSkill::most_apgr});
      f.field("alpha", alpha,
              "win probability from which on the strong model answers; either this or strong_fraction", fraction);
      f.field("strong_fraction", strong_fraction, "share of calls to the strong model that alpha is calibrated to",
              fraction);
      f.group("router", router, "the router itself (RouteLLM's mf: 155 requests/s on an L4)");
    }
  };
  explicit Threshold(const Settings& settings)
      : settings_(settings), skill_(settings.apgr), service_(settings.router) {}

  std::vector<SettingProblem> problems() const override {
    if (settings_.alpha.has_value() == settings_.strong_fraction.has_value())
      return {{"", "give either 'alpha' or 'strong_fraction'"}};
    return {};
  }
  std::vector<NamedTarget> targets() const override {
    return {{"strong", settings_.strong}, {"weak", settings_.weak}};
  }
  std::vector<NamedTarget> scored() const override {
    return settings_.alpha ? targets() : std::vector<NamedTarget>{};
  }

  void prepare(const GatewayContext& context) override {
    quality_ = &context.quality;
    strong_ = context.target(settings_.strong);
    weak_ = context.target(settings_.weak);
  }

  StageAction arrive(const StageInput& input) override {
    const double rank = input.rng.uniform();
    const auto strong = quality_->score(strong_, input.outgoing.request.request_class);
    const auto weak = quality_->score(weak_, input.outgoing.request.request_class);
    const double gap = strong && weak ? *strong - *weak : 0;
    const bool to_strong = rank < strong_share(gap);
    input.outgoing.target = to_strong ? strong_ : weak_;
    (to_strong ? to_strong_ : to_weak_) += 1;
    if (strong && weak) input.outgoing.score = score(rank, *weak, gap, to_strong);
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }

  std::vector<PolicyCount> counts() const override {
    return {{"to_strong", static_cast<double>(to_strong_)}, {"to_weak", static_cast<double>(to_weak_)}};
  }

 private:
  double strong_share(double gap) const {
    if (settings_.strong_fraction) return *settings_.strong_fraction;
    return gap > 0 ? skill_.share_above(*settings_.alpha / gap) : 0;
  }
  // What the strong model alone can answer, the weak one cannot; of the rest it answers the same share at every rank.
  double score(double rank, double weak, double gap, bool to_strong) const {
    if (gap <= 0 || gap >= 1) return to_strong ? weak + gap : weak;
    const double lead = std::min(gap * skill_.gain(rank), 1.0);
    const double weak_here = weak * (1 - lead) / (1 - gap);
    return to_strong ? weak_here + lead : weak_here;
  }

  Settings settings_;
  RouterSkill skill_;
  GatewayService service_;
  const AnswerQuality* quality_ = nullptr;
  TargetId strong_{};
  TargetId weak_{};
  std::int64_t to_strong_ = 0;
  std::int64_t to_weak_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Threshold>(
    "threshold", "a router's win probability against alpha: strong or weak model (RouteLLM)");

}  // namespace
}  // namespace servecast
