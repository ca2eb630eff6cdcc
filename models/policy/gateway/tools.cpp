// Gateway "tools": the model calls tools before it answers, each call a pass of its own (an agent's loop).
//
// A request that uses tools makes a geometric number of calls. Each is a short answer that nobody sees, the tool's
// own time, and another pass whose prompt is the one before, the call and its result. So the time to first token
// grows by whole passes, and the prompt is read once per pass, unless a prefix cache keeps it: then only what is new.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class Tools final : public GatewayPolicy {
 public:
  struct Settings {
    double using_fraction = 1;
    double calls_mean = 1.5;
    std::int64_t most_calls = 20;
    std::int64_t call_tokens = 60;
    std::int64_t result_tokens = 300;
    ServiceSettings tool{.median_s = 0.5, .sigma = 0.8};
    void fields(Fields& f) {
      f.field("using_fraction", using_fraction, "share of requests that use tools at all", fraction);
      f.field("calls_mean", calls_mean, "calls of such a request, in the mean", at_least_one);
      f.field("most_calls", most_calls, "after so many the model must answer", at_least_one);
      f.field("call_tokens", call_tokens, "what the model writes to call a tool", at_least_one);
      f.field("result_tokens", result_tokens, "what comes back");
      f.group("tool", tool, "the tool itself");
    }
  };
  explicit Tools(const Settings& settings) : settings_(settings), service_(settings.tool) {}

  bool sees_answers() const override { return true; }
  bool asks_again() const override { return true; }
  bool goes_on() const override { return true; }

  GatewayStep arrive(const GatewayCall& call) override {
    call.note.number = 0;
    if (call.rng.uniform() >= settings_.using_fraction) return {};
    call.note.number = 1;
    while (call.note.number < settings_.most_calls && call.rng.uniform() >= 1 / settings_.calls_mean)
      ++call.note.number;
    call.note.value = static_cast<double>(call.of.request.output_tokens);
    call.of.request.output_tokens = settings_.call_tokens;
    call.of.held = true;
    return {};
  }

  GatewayVerdict answered(const GatewayCall& call, const GatewayAnswer& answer) override {
    if (call.note.number == 0) return {};
    --call.note.number;
    ++calls_;
    const bool last = call.note.number == 0;
    const auto final_tokens = static_cast<std::int64_t>(call.note.value);
    return {.delay_s = service_.call_s(call.now_s, call.rng),
            .usd = service_.usd(),
            .again = NextPass{
                .target = answer.target,
                .prompt_tokens = call.of.request.prompt_tokens + answer.output_tokens + settings_.result_tokens,
                .output_tokens = last ? final_tokens : settings_.call_tokens,
                .held = !last,
                .needed = true,
                .goes_on = true,
                .score = call.of.score}};
  }
  std::vector<PolicyCount> counts() const override { return {{"calls", static_cast<double>(calls_)}}; }

 private:
  Settings settings_;
  GatewayService service_;
  std::int64_t calls_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Tools>("tools", "the model calls tools before it answers: a pass for each call");

}  // namespace
}  // namespace servecast
