// Gateway "tools": the model calls tools before it answers, each tool call an LLM call of its own (an agent's loop).
//
// A request that uses tools makes a geometric number of calls. Each is a short answer that no user sees, the tool's
// own time, and another LLM call whose prompt is the one before, the call and its result. So the time to first token
// grows by whole LLM calls, and the prompt is read once per LLM call, unless a prefix cache keeps it: then only what
// is new.
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

  StageAction arrive(const StageInput& input) override {
    input.note.number = 0;
    if (input.rng.uniform() >= settings_.using_fraction) return {};
    input.note.number = 1;
    while (input.note.number < settings_.most_calls && input.rng.uniform() >= 1 / settings_.calls_mean)
      ++input.note.number;
    input.note.value = static_cast<double>(input.outgoing.request.output_tokens);
    input.outgoing.request.output_tokens = settings_.call_tokens;
    input.outgoing.held = true;
    return {};
  }

  GatewayVerdict answered(const StageInput& input, const GatewayAnswer& answer) override {
    if (input.note.number == 0) return {};
    --input.note.number;
    ++calls_;
    const bool last = input.note.number == 0;
    const auto final_tokens = static_cast<std::int64_t>(input.note.value);
    return {.delay_s = service_.call_s(input.now_s, input.rng),
            .usd = service_.usd(),
            .again = NextCall{.target = answer.target,
                              .prompt_tokens = input.outgoing.request.prompt_tokens + answer.output_tokens +
                                               settings_.result_tokens,
                              .output_tokens = last ? final_tokens : settings_.call_tokens,
                              .held = !last,
                              .needed = true,
                              .goes_on = true,
                              .score = input.outgoing.score}};
  }
  std::vector<PolicyCount> counts() const override { return {{"calls", static_cast<double>(calls_)}}; }

 private:
  Settings settings_;
  GatewayService service_;
  std::int64_t calls_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Tools>(
    "tools", "the model calls tools before it answers: an LLM call for each tool call");

}  // namespace
}  // namespace servecast
