// Gateway "api_tier": an outside API under a name to which other stages may send requests, as to a pool without GPUs.
//
// Has no queue of its own: beyond its concurrency or its tokens per minute it answers 429, and the client's library
// asks again after a random part of a wait that doubles (full jitter, as tenacity's wait_random_exponential in
// OpenAI's cookbook), until it has asked often enough. The quota is a bucket that holds one minute and fills evenly;
// prompt and output both count. Time to first token = a lognormal part for network and queue + so much for each
// prompt token; from then on tokens come evenly. The defaults are those of a ChatBox user on DeepSeek-V3 at Volcano
// Engine: 0.75 to 0.96 s, 0.14 ms per prompt token, deviation 0.15 to 0.27 s. An API that is busy when you are is not
// in it: its latency does not depend on your load.
#include <algorithm>
#include <queue>

#include "models/policy/gateway.h"

namespace servecast {
namespace {

struct ApiSettings {
  std::string name;
  bool takes_all = false;
  double ttft_median_s = 0.85;
  double ttft_sigma = 0.23;
  double prompt_token_s = 0.00014;
  double tpot_median_s = 0.03;
  double tpot_sigma = 0.2;
  double tokens_per_minute = 0;
  std::int64_t concurrency = 0;
  std::int64_t attempts = 6;
  double backoff_s = 1;
  double max_backoff_s = 60;
  double usd_per_million_prompt_tokens = 0;
  double usd_per_million_output_tokens = 0;
  double usd_per_request = 0;
  void fields(Fields& f) {
    f.required("name", name, "under which other stages, and the table of scores, know it");
    f.field("takes_all", takes_all, "true: all that reaches this stage goes there; false: what is sent to its name");
    f.field("ttft_median_s", ttft_median_s, "time to first token with an empty prompt: half take less", positive);
    f.field("ttft_sigma", ttft_sigma, "standard deviation of its logarithm", {.min = 0, .max = 5});
    f.field("prompt_token_s", prompt_token_s, "what each prompt token adds");
    f.field("tpot_median_s", tpot_median_s, "time per output token: half of the requests take less");
    f.field("tpot_sigma", tpot_sigma, "standard deviation of its logarithm", {.min = 0, .max = 5});
    f.field("tokens_per_minute", tokens_per_minute, "quota of prompt and output tokens; 0: none");
    f.field("concurrency", concurrency, "requests at a time; 0: any number");
    f.field("attempts", attempts, "how often a request is sent before it is given up", at_least_one);
    f.field("backoff_s", backoff_s, "longest wait before the second attempt; it doubles", positive);
    f.field("max_backoff_s", max_backoff_s, "longest wait before any", positive);
    f.field("usd_per_million_prompt_tokens", usd_per_million_prompt_tokens, "price");
    f.field("usd_per_million_output_tokens", usd_per_million_output_tokens, "price");
    f.field("usd_per_request", usd_per_request, "price of a call beside its tokens");
  }
};

class Api final : public GatewayPolicy, private ApiTier {
 public:
  using Settings = ApiSettings;
  explicit Api(const Settings& settings) : settings_(settings), bucket_tokens_(settings.tokens_per_minute) {}

  std::vector<NamedTarget> targets() const override { return {{"name", settings_.name}}; }
  void prepare(const GatewayContext& context) override { self_ = context.target(settings_.name); }
  StageAction arrive(const StageInput& input) override {
    if (settings_.takes_all) input.outgoing.target = self_;
    return {};
  }
  ApiTier* api() override { return this; }
  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    return {{"answered", real(answered_)},
            {"refused_429", real(refused_)},
            {"given_up", real(given_up_)},
            {"prompt_tokens", real(prompt_tokens_)},
            {"output_tokens", real(output_tokens_)}};
  }

 private:
  const std::string& name() const override { return settings_.name; }

  ApiReply ask(const Request& request, std::int64_t attempt, double now_s, Rng& rng) override {
    const std::int64_t tokens = request.prompt_tokens + request.output_tokens * request.width();
    if (!admits(static_cast<double>(tokens), now_s)) {
      ++refused_;
      const bool never = settings_.tokens_per_minute > 0 && static_cast<double>(tokens) > settings_.tokens_per_minute;
      if (never || attempt + 1 >= settings_.attempts) {
        ++given_up_;
        return {.kind = ApiReply::Kind::turned_away};
      }
      const double most_s =
          std::min(settings_.max_backoff_s, std::ldexp(settings_.backoff_s, static_cast<int>(attempt)));
      return {.kind = ApiReply::Kind::try_again, .retry_s = now_s + (1 - rng.uniform()) * most_s};
    }
    return answer(request, now_s, rng);
  }

  ApiReply answer(const Request& request, double now_s, Rng& rng) {
    const double ttft_s = settings_.ttft_median_s * rng.lognormal(0, settings_.ttft_sigma) +
                          settings_.prompt_token_s * static_cast<double>(request.prompt_tokens);
    const double tpot_s = settings_.tpot_median_s * rng.lognormal(0, settings_.tpot_sigma);
    const auto outputs = static_cast<double>(request.output_tokens * request.width());
    ApiReply reply{.first_token_s = now_s + ttft_s};
    reply.finish_s = reply.first_token_s + tpot_s * static_cast<double>(request.output_tokens - 1);
    reply.usd = settings_.usd_per_request +
                settings_.usd_per_million_prompt_tokens * 1e-6 * static_cast<double>(request.prompt_tokens) +
                settings_.usd_per_million_output_tokens * 1e-6 * outputs;
    if (settings_.concurrency > 0) under_way_.push(reply.finish_s);
    ++answered_;
    prompt_tokens_ += request.prompt_tokens;
    output_tokens_ += request.output_tokens * request.width();
    return reply;
  }

  bool admits(double tokens, double now_s) {
    while (!under_way_.empty() && under_way_.top() <= now_s) under_way_.pop();
    if (settings_.concurrency > 0 && static_cast<std::int64_t>(under_way_.size()) >= settings_.concurrency)
      return false;
    if (settings_.tokens_per_minute == 0) return true;
    constexpr double minute_s = 60;
    bucket_tokens_ = std::min(settings_.tokens_per_minute,
                              bucket_tokens_ + settings_.tokens_per_minute * (now_s - filled_s_) / minute_s);
    filled_s_ = now_s;
    if (bucket_tokens_ < tokens) return false;
    bucket_tokens_ -= tokens;
    return true;
  }

  Settings settings_;
  TargetId self_{};
  std::priority_queue<double, std::vector<double>, std::greater<>> under_way_{};  // until when
  double bucket_tokens_;
  double filled_s_ = 0;
  std::int64_t answered_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t given_up_ = 0;
  std::int64_t prompt_tokens_ = 0;
  std::int64_t output_tokens_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Api>(
    "api_tier", "an outside API: latency, quota, 429 with retries, price per token");

}  // namespace
}  // namespace servecast
