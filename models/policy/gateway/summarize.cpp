// Gateway "summarize": a small model sums up long prompts before the large one reads them.
//
// Pays off where the large model's prefill of what is left out takes longer than the small one takes to read
// everything and to write the summary: with T tokens of which a summary of S is left, T/r + S/w < (T - S)/R, for
// reading and writing rates r and w of the small model and R of the large one. Writing is slow, so that is seldom so
// for latency alone; it is for money, where the large model's tokens are dear, and where the context would not fit.
// The small model is a pool, whose queue and batches its calls share, or a server that reads and writes at stated
// rates. Loses details (quality_factor), and the prefix cache behind the system prompt.
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
    std::string pool;
    std::int64_t instruction_tokens = 50;
    std::optional<double> read_tokens_per_s{};
    std::optional<double> write_tokens_per_s{};
    double quality_factor = 1;
    ServiceSettings summarizer{};
    void fields(Fields& f) {
      f.field("from_tokens", from_tokens, "shorter prompts are left alone");
      f.field("summary_tokens", summary_tokens, "length of a summary", at_least_one);
      f.field("keep_tokens", keep_tokens, "first tokens that stay as they are: the system prompt");
      f.field("question_tokens", question_tokens, "last tokens that stay as they are: the question");
      f.field("pool", pool, "pool or API tier that sums up; left out: a server that reads and writes as follows");
      f.field("instruction_tokens", instruction_tokens, "instructions to that pool beside the text");
      f.field("read_tokens_per_s", read_tokens_per_s, "how fast such a server reads; left out: 20,000", positive);
      f.field("write_tokens_per_s", write_tokens_per_s, "how fast it writes; left out: 100", positive);
      f.field("quality_factor", quality_factor, "what is left of an answer's score", fraction);
      f.group("summarizer", summarizer, "beside the time to read and to write");
    }
  };
  explicit Summarize(const Settings& settings) : settings_(settings), service_(settings.summarizer) {}

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all;
    if (settings_.pool.empty()) return all;
    if (settings_.read_tokens_per_s) all.push_back({"read_tokens_per_s", "would be ignored: 'pool' sums up"});
    if (settings_.write_tokens_per_s) all.push_back({"write_tokens_per_s", "would be ignored: 'pool' sums up"});
    return all;
  }
  std::vector<NamedTarget> targets() const override {
    if (settings_.pool.empty()) return {};
    return {{"pool", settings_.pool}};
  }
  void prepare(const GatewayContext& context) override {
    if (!settings_.pool.empty()) pool_ = context.target(settings_.pool);
  }

  // What the summarizer takes beside the pool's call comes before the request goes on.
  StageAction resumed(const StageInput& input) override {
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }
  StageAction arrive(const StageInput& input) override {
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    const std::int64_t summed_up = prompt - settings_.keep_tokens - settings_.question_tokens;
    if (prompt < settings_.from_tokens || summed_up <= settings_.summary_tokens) return {};
    ++summaries_;
    input.outgoing.rewrite_prompt(prompt - summed_up + settings_.summary_tokens, settings_.keep_tokens);
    input.outgoing.quality_factor *= settings_.quality_factor;
    if (pool_)
      return {.call = SideCall{.target = *pool_,
                               .prompt_tokens = summed_up + settings_.instruction_tokens,
                               .output_tokens = settings_.summary_tokens}};
    const double pass_s = static_cast<double>(summed_up) / settings_.read_tokens_per_s.value_or(20'000) +
                          static_cast<double>(settings_.summary_tokens) / settings_.write_tokens_per_s.value_or(100);
    return {.delay_s = service_.call_s(input.now_s, input.rng, pass_s), .usd = service_.usd()};
  }
  std::vector<PolicyCount> counts() const override { return {{"summaries", static_cast<double>(summaries_)}}; }

 private:
  Settings settings_;
  GatewayService service_;
  std::optional<TargetId> pool_{};
  std::int64_t summaries_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Summarize>("summarize", "a small model sums up long prompts");

}  // namespace
}  // namespace servecast
