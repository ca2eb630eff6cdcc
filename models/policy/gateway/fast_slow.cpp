// Gateway "fast_slow": a fast model's draft is streamed at once; a slow model reviews some of them and its answer
// takes the draft's place, if it comes in time (a fast/slow dual system as described by the 2048 AI community, 2025).
//
// The client has its first token as early as with the fast model alone. A review costs the whole prompt and the draft
// as a prompt of the slow model, and its output besides. Where it is not there by the time-out, the draft stands and
// the review is cancelled, or finished in vain. The review begins when the draft is complete. What of its prompt
// need not be computed: kv_reuse none: nothing; text_prefix: what the slow pool's own cache has seen of that text (a
// system prompt, earlier turns that it reviewed); same_model_kv: the KV of prompt and draft comes over the links from
// the replica that drafted, which holds only between pools of one model: KV of an 8B is of no use to a 70B.
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class FastSlow final : public GatewayPolicy {
 public:
  struct Settings {
    std::string fast;
    std::string slow;
    double review_fraction = 0.013;
    double timeout_s = 15;
    std::string late_review = "cancel";
    std::string kv_reuse = "text_prefix";
    std::int64_t review_prompt_tokens = 50;
    double review_output_ratio = 1;
    ServiceSettings hand_over{.median_s = 0.005};
    void fields(Fields& f) {
      f.required("fast", fast, "pool or API tier that drafts");
      f.required("slow", slow, "pool or API tier that reviews");
      f.field("review_fraction", review_fraction,
              "share of requests that are reviewed, where no stage before this one has decided that", fraction);
      f.field("timeout_s", timeout_s, "from arrival; then the draft stands", positive);
      f.field("late_review", late_review, "what becomes of a review that is too late", {"cancel", "finish"});
      f.field("kv_reuse", kv_reuse, "what of the review's prompt need not be computed",
              {"none", "text_prefix", "same_model_kv"});
      f.field("review_prompt_tokens", review_prompt_tokens, "instructions to the reviewer behind prompt and draft");
      f.field("review_output_ratio", review_output_ratio, "length of the reviewed answer, by the draft's", positive);
      f.group("hand_over", hand_over, "from one to the other, beside the bytes that are moved");
    }
  };
  explicit FastSlow(const Settings& settings) : settings_(settings), service_(settings.hand_over) {}

  std::vector<NamedTarget> targets() const override { return {{"fast", settings_.fast}, {"slow", settings_.slow}}; }
  bool sees_answers() const override { return true; }
  bool asks_again() const override { return true; }
  std::optional<std::string> again_after() const override { return settings_.fast; }
  bool reviews() const override { return true; }
  bool goes_on() const override { return settings_.kv_reuse != "none"; }
  std::optional<KvPath> kv_path() const override {
    if (settings_.kv_reuse != "same_model_kv") return std::nullopt;
    return KvPath{settings_.fast, settings_.slow};
  }
  void prepare(const GatewayContext& context) override {
    fast_ = context.target(settings_.fast);
    slow_ = context.target(settings_.slow);
  }

  StageAction arrive(const StageInput& input) override {
    if (!input.outgoing.reviewed) {
      input.outgoing.target = fast_;
      input.outgoing.reviewed = input.rng.uniform() < settings_.review_fraction;
    }
    input.note.number = *input.outgoing.reviewed ? drafted : alone;
    return {};
  }

  GatewayVerdict answered(const StageInput& input, const GatewayAnswer& answer) override {
    if (input.note.number != drafted) {
      if (input.note.number == in_review) ++(answer.target == slow_ ? reviewed_ : late_);
      return {};
    }
    const double late_s = input.outgoing.request.arrival_s + settings_.timeout_s;
    const double delay_s = service_.call_s(input.now_s, input.rng);
    if (input.now_s + delay_s >= late_s) {
      ++late_;
      return {};
    }
    input.note.number = in_review;
    const std::int64_t said = input.outgoing.request.prompt_tokens + answer.output_tokens;
    const double output = std::round(static_cast<double>(answer.output_tokens) * settings_.review_output_ratio);
    return {.delay_s = delay_s,
            .usd = service_.usd(),
            .again = NextCall{.target = slow_,
                              .prompt_tokens = said + settings_.review_prompt_tokens,
                              .output_tokens = std::max<std::int64_t>(1, static_cast<std::int64_t>(output)),
                              .goes_on = settings_.kv_reuse != "none",
                              .kv_tokens = settings_.kv_reuse == "same_model_kv" ? said : 0,
                              .forget_prefix = settings_.kv_reuse == "none",
                              .late_s = late_s,
                              .finish_late = settings_.late_review == "finish",
                              .score = input.outgoing.review_score}};
  }

  std::vector<PolicyCount> counts() const override {
    return {{"reviewed", static_cast<double>(reviewed_)}, {"drafts_kept", static_cast<double>(late_)}};
  }

 private:
  enum Stage : std::int64_t { alone, drafted, in_review };
  Settings settings_;
  GatewayService service_;
  TargetId fast_{};
  TargetId slow_{};
  std::int64_t reviewed_ = 0;
  std::int64_t late_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<FastSlow>(
    "fast_slow", "a fast draft is streamed at once, a slow model reviews some");

}  // namespace
}  // namespace servecast
