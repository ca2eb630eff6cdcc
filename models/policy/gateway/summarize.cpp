// Gateway "summarize": a small model sums up long prompts before the large one reads them.
//
// Pays off where the large model's prefill of what is left out takes longer than the small one takes to read
// everything and to write the summary: with T tokens of which a summary of S is left, T/r + S/w < (T - S)/R, for
// reading and writing rates r and w of the small model and R of the large one. Writing is slow, so that is seldom so
// for latency alone; it is for money, where the large model's tokens are dear, and where the context would not fit.
// Loses details (quality_factor), and the prefix cache behind the system prompt.
#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class Summarize final : public GatewayPolicy {
 public:
  struct Settings {
    std::int64_t from_tokens = 4000;
    std::int64_t summary_tokens = 500;
    std::int64_t keep_tokens = 0;
    std::int64_t question_tokens = 200;
    double read_tokens_per_s = 20'000;
    double write_tokens_per_s = 100;
    double quality_factor = 1;
    ServiceSettings summarizer{};
    void fields(Fields& f) {
      f.field("from_tokens", from_tokens, "shorter prompts are left alone");
      f.field("summary_tokens", summary_tokens, "length of a summary", at_least_one);
      f.field("keep_tokens", keep_tokens, "first tokens that stay as they are: the system prompt");
      f.field("question_tokens", question_tokens, "last tokens that stay as they are: the question");
      f.field("read_tokens_per_s", read_tokens_per_s, "how fast the small model reads", positive);
      f.field("write_tokens_per_s", write_tokens_per_s, "how fast it writes", positive);
      f.field("quality_factor", quality_factor, "what is left of an answer's score", fraction);
      f.group("summarizer", summarizer, "beside the time to read and to write");
    }
  };
  explicit Summarize(const Settings& settings) : settings_(settings), service_(settings.summarizer) {}

  StageAction arrive(const StageInput& input) override {
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    const std::int64_t summed_up = prompt - settings_.keep_tokens - settings_.question_tokens;
    if (prompt < settings_.from_tokens || summed_up <= settings_.summary_tokens) return {};
    ++summaries_;
    input.outgoing.rewrite_prompt(prompt - summed_up + settings_.summary_tokens, settings_.keep_tokens);
    input.outgoing.quality_factor *= settings_.quality_factor;
    const double pass_s = static_cast<double>(summed_up) / settings_.read_tokens_per_s +
                          static_cast<double>(settings_.summary_tokens) / settings_.write_tokens_per_s;
    return {.delay_s = service_.call_s(input.now_s, input.rng, pass_s), .usd = service_.usd()};
  }
  std::vector<PolicyCount> counts() const override { return {{"summaries", static_cast<double>(summaries_)}}; }

 private:
  Settings settings_;
  GatewayService service_;
  std::int64_t summaries_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Summarize>("summarize", "a small model sums up long prompts");

}  // namespace
}  // namespace servecast
