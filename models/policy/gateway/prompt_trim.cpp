// Gateway "prompt_trim": a small model takes words out of long prompts (LLMLingua, EMNLP 2023; LongLLMLingua,
// arXiv 2310.06839).
//
// Pays off where prompts are long and prefill is what one waits for: LongLLMLingua reports 1.4 to 3.8 times less
// end-to-end latency at 2 to 10 times fewer tokens of 10,000. Loses on short prompts and where prompts repeat: the
// compressor reads the whole prompt first, and a trimmed text shares its beginning with no other, so a prefix cache
// is of no use behind the tokens that are kept whole. What it costs in answers is the scenario's to say
// (quality_factor).
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class PromptTrim final : public GatewayPolicy {
 public:
  struct Settings {
    double removed_fraction = 0.5;
    std::int64_t from_tokens = 1000;
    std::int64_t keep_tokens = 0;
    std::string pool;
    std::optional<double> compressor_tokens_per_s{};
    double quality_factor = 1;
    ServiceSettings compressor{};
    void fields(Fields& f) {
      f.field("removed_fraction", removed_fraction, "share of the tokens that is taken out", {.min = 0, .max = 0.99});
      f.field("from_tokens", from_tokens, "shorter prompts are left alone");
      f.field("keep_tokens", keep_tokens, "first tokens that stay as they are: the system prompt");
      f.field("pool", pool, "pool or API tier that reads the prompt; left out: servers that read as follows");
      f.field("compressor_tokens_per_s", compressor_tokens_per_s,
              "how fast such a server reads; left out: 10,000 (a 7B model on an A100)", positive);
      f.field("quality_factor", quality_factor, "what is left of an answer's score", fraction);
      f.group("compressor", compressor, "beside the time to read");
    }
  };
  explicit PromptTrim(const Settings& settings) : settings_(settings), service_(settings.compressor) {}

  std::vector<SettingProblem> problems() const override {
    if (settings_.pool.empty() || !settings_.compressor_tokens_per_s) return {};
    return {{"compressor_tokens_per_s", "would be ignored: 'pool' reads the prompts"}};
  }
  std::vector<NamedTarget> targets() const override {
    if (settings_.pool.empty()) return {};
    return {{"pool", settings_.pool}};
  }
  void prepare(const GatewayContext& context) override {
    if (!settings_.pool.empty()) pool_ = context.target(settings_.pool);
  }
  StageAction resumed(const StageInput& input) override {
    return {.delay_s = service_.call_s(input.now_s, input.rng), .usd = service_.usd()};
  }

  StageAction arrive(const StageInput& input) override {
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    const std::int64_t kept = std::min(settings_.keep_tokens, prompt);
    if (prompt < settings_.from_tokens || prompt == kept) return {};
    const double trimmed = std::ceil(static_cast<double>(prompt - kept) * (1 - settings_.removed_fraction));
    ++trimmed_;
    input.outgoing.rewrite_prompt(kept + std::max<std::int64_t>(1, static_cast<std::int64_t>(trimmed)), kept);
    input.outgoing.quality_factor *= settings_.quality_factor;
    if (pool_) return {.call = SideCall{.target = *pool_, .prompt_tokens = prompt, .output_tokens = 1}};
    const double read_s = static_cast<double>(prompt) / settings_.compressor_tokens_per_s.value_or(10'000);
    return {.delay_s = service_.call_s(input.now_s, input.rng, read_s), .usd = service_.usd()};
  }
  std::vector<PolicyCount> counts() const override { return {{"trimmed", static_cast<double>(trimmed_)}}; }

 private:
  Settings settings_;
  GatewayService service_;
  std::optional<TargetId> pool_{};
  std::int64_t trimmed_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<PromptTrim>("prompt_trim", "a small model takes words out of long prompts");

}  // namespace
}  // namespace servecast
