// Gateway "api_tier": an outside API under a name to which other stages may send requests, as to a pool without GPUs.
//
// Has no queue of its own: beyond its concurrency, its quotas per minute and day, or the units that are bought, it
// answers 429, and the client's library asks again after a random part of a wait that doubles (full jitter, as
// tenacity's wait_random_exponential in OpenAI's cookbook), or when the answer says, until it has asked often enough.
// Time to first token = a part for network and queue + so much for each prompt token that its cache has not; from
// then on tokens come evenly. Both parts are lognormal ("stated"), drawn from published quantiles ("latency"), or
// from quantiles of one's own. The defaults are those of a ChatBox user on DeepSeek-V3 at Volcano Engine: 0.75 to
// 0.96 s, 0.14 ms per prompt token, deviation 0.15 to 0.27 s. An API that is busy when you are is not in it: its
// latency does not depend on your load.
#include <algorithm>
#include <queue>

#include "models/policy/gateway.h"
#include "models/policy/stages/api_cache.h"
#include "models/policy/stages/api_latency.h"
#include "models/policy/stages/api_quota.h"

namespace servecast {
namespace {

struct ApiSettings {
  std::string name;
  bool takes_all = false;
  std::string latency = "stated";
  double ttft_median_s = 0.85;
  double ttft_sigma = 0.23;
  double prompt_token_s = 0.00014;
  double tpot_median_s = 0.03;
  double tpot_sigma = 0.2;
  std::optional<ApiQuantiles> quantiles{};
  double tokens_per_minute = 0;
  double requests_per_minute = 0;
  double tokens_per_day = 0;
  double requests_per_day = 0;
  std::int64_t concurrency = 0;
  std::int64_t attempts = 6;
  double backoff_s = 1;
  double max_backoff_s = 60;
  bool obeys_retry_after = false;
  double usd_per_million_prompt_tokens = 0;
  double usd_per_million_output_tokens = 0;
  double usd_per_request = 0;
  std::optional<ApiCacheTerms> cache{};
  std::optional<ProvisionedTerms> provisioned{};
  void fields(Fields& f) {
    f.required("name", name, "under which other stages, and the table of scores, know it");
    f.field("takes_all", takes_all, "true: all that reaches this stage goes there; false: what is sent to its name");
    f.field("latency", latency,
            "stated: lognormal as the settings below say, or by 'quantiles'; else an API as it was measured",
            latency_names());
    f.field("ttft_median_s", ttft_median_s, "time to first token with an empty prompt: half take less", positive);
    f.field("ttft_sigma", ttft_sigma, "standard deviation of its logarithm", {.min = 0, .max = 5});
    f.field("prompt_token_s", prompt_token_s, "what each prompt token adds");
    f.field("tpot_median_s", tpot_median_s, "time per output token: half of the requests take less");
    f.field("tpot_sigma", tpot_sigma, "standard deviation of its logarithm", {.min = 0, .max = 5});
    f.group("quantiles", quantiles, "times that one has measured, in place of medians and sigmas; left out: those");
    f.field("tokens_per_minute", tokens_per_minute, "quota of prompt and output tokens; 0: none");
    f.field("requests_per_minute", requests_per_minute, "quota of requests; 0: none");
    f.field("tokens_per_day", tokens_per_day,
            "quota of prompt and output tokens until midnight, when a run starts; 0: none");
    f.field("requests_per_day", requests_per_day, "quota of requests until midnight; 0: none");
    f.field("concurrency", concurrency, "requests at a time; 0: any number");
    f.field("attempts", attempts, "how often a request is sent before it is given up", at_least_one);
    f.field("backoff_s", backoff_s, "longest wait before the second attempt; it doubles", positive);
    f.field("max_backoff_s", max_backoff_s, "longest wait before any", positive);
    f.field(
        "obeys_retry_after", obeys_retry_after,
        "true: the next attempt comes when a 429 of a quota or of units says; false: after the wait that doubles");
    f.field("usd_per_million_prompt_tokens", usd_per_million_prompt_tokens, "price; of those that no cache has");
    f.field("usd_per_million_output_tokens", usd_per_million_output_tokens, "price");
    f.field("usd_per_request", usd_per_request, "price of a call beside its tokens");
    f.group("cache", cache, "beginnings of prompts that it remembers; left out: it finds none");
    f.group("provisioned", provisioned, "capacity that is bought ahead; left out: all is on demand");
  }
};

class Api final : public GatewayPolicy, private ApiTier {
 public:
  using Settings = ApiSettings;
  explicit Api(const Settings& settings)
      : settings_(settings),
        tokens_a_minute_(settings.tokens_per_minute),
        requests_a_minute_(settings.requests_per_minute),
        tokens_a_day_(settings.tokens_per_day),
        requests_a_day_(settings.requests_per_day) {
    if (settings.cache) cache_.emplace(*settings.cache);
    if (settings.provisioned) units_.emplace(*settings.provisioned);
    if (const auto& own = settings.quantiles)
      measured_ = {.ttft = {own->fractions, own->ttft_s},
                   .tpot = {own->fractions, own->tpot_s},
                   .prompt_tokens = own->prompt_tokens};
    for (const PublishedApi& api : published_apis())
      if (api.name == settings.latency) measured_ = api;
  }

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all;
    if (settings_.quantiles) {
      if (settings_.latency != "stated")
        all.push_back({"quantiles", "'latency' names an API that was measured: give either"});
      if (const std::string problem = settings_.quantiles->problem(); !problem.empty())
        all.push_back({"quantiles", problem});
    }
    if (const auto& bought = settings_.provisioned;
        bought &&
        (bought->units < bought->least_units || (bought->units - bought->least_units) % bought->unit_step != 0))
      all.push_back({"provisioned.units", "are sold from 'least_units' on in steps of 'unit_step'"});
    return all;
  }
  std::vector<NamedTarget> targets() const override { return {{"name", settings_.name}}; }
  void prepare(const GatewayContext& context) override { self_ = context.target(settings_.name); }
  StageAction arrive(const StageInput& input) override {
    if (settings_.takes_all) input.outgoing.target = self_;
    return {};
  }
  ApiTier* api() override { return this; }
  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    std::vector<PolicyCount> all{{"answered", real(answered_)},
                                 {"refused_429", real(refused_)},
                                 {"given_up", real(given_up_)},
                                 {"prompt_tokens", real(prompt_tokens_)},
                                 {"output_tokens", real(output_tokens_)}};
    if (cache_) all.push_back({"cached_tokens", real(cached_tokens_)});
    if (units_) all.push_back({"on_units", real(on_units_)});
    return all;
  }

 private:
  struct Place {  // what a request gets
    bool admitted = false;
    bool on_units = false;
    double retry_s = 0;  // where it is not admitted: when there may be room
  };
  const std::string& name() const override { return settings_.name; }
  double usd_per_hour() const override { return settings_.provisioned ? settings_.provisioned->usd_per_hour() : 0; }

  ApiReply ask(const Request& request, std::int64_t attempt, double now_s, Rng& rng) override {
    const Place place = place_for(request, now_s);
    if (place.admitted) return answer(request, place.on_units, now_s, rng);
    ++refused_;
    if (place.retry_s == MinuteQuota::never || attempt + 1 >= settings_.attempts) {
      ++given_up_;
      return {.kind = ApiReply::Kind::turned_away};
    }
    const double most_s =
        std::min(settings_.max_backoff_s, std::ldexp(settings_.backoff_s, static_cast<int>(attempt)));
    const double backoff_s = (1 - rng.uniform()) * most_s;
    const bool told = settings_.obeys_retry_after && place.retry_s > 0;
    return {.kind = ApiReply::Kind::try_again, .retry_s = now_s + (told ? place.retry_s : backoff_s)};
  }

  ApiReply answer(const Request& request, bool on_units, double now_s, Rng& rng) {
    const std::int64_t cached = cache_ ? cache_->look_up(request, now_s) : 0;
    const std::int64_t computed = request.prompt_tokens - cached;
    const std::int64_t outputs = request.output_tokens * request.width();
    ApiReply reply{.first_token_s = now_s + ttft_s(computed, rng)};
    reply.finish_s = reply.first_token_s + tpot_s(rng) * static_cast<double>(request.output_tokens - 1);
    if (on_units) {
      const double weight = settings_.provisioned->output_weight * static_cast<double>(outputs);
      units_->take(static_cast<double>(computed) + weight);
      ++on_units_;
    } else {
      reply.usd = usd(computed, cached, outputs);
    }
    if (settings_.concurrency > 0) under_way_.push(reply.finish_s);
    ++answered_;
    prompt_tokens_ += request.prompt_tokens;
    cached_tokens_ += cached;
    output_tokens_ += outputs;
    return reply;
  }

  double usd(std::int64_t computed, std::int64_t cached, std::int64_t outputs) const {
    const auto millions = [](std::int64_t tokens) { return 1e-6 * static_cast<double>(tokens); };
    double sum = settings_.usd_per_request + settings_.usd_per_million_prompt_tokens * millions(computed) +
                 settings_.usd_per_million_output_tokens * millions(outputs);
    if (settings_.cache)
      sum += settings_.cache->usd_per_million_tokens * millions(cached) +
             settings_.cache->usd_per_million_written_tokens * millions(computed);
    return sum;
  }

  double ttft_s(std::int64_t computed, Rng& rng) const {
    const double prompt_s = settings_.prompt_token_s * static_cast<double>(computed - measured_.prompt_tokens);
    if (measured_.prompt_tokens == 0)
      return settings_.ttft_median_s * rng.lognormal(0, settings_.ttft_sigma) + prompt_s;
    return std::max(measured_.ttft.seconds.front() / 2, measured_.ttft.draw(rng) + prompt_s);
  }
  double tpot_s(Rng& rng) const {
    if (measured_.prompt_tokens == 0) return settings_.tpot_median_s * rng.lognormal(0, settings_.tpot_sigma);
    return measured_.tpot.draw(rng);
  }

  /// On the units that are bought, as long as they have room; else on demand, within the quotas.
  Place place_for(const Request& request, double now_s) {
    while (!under_way_.empty() && under_way_.top() <= now_s) under_way_.pop();
    if (settings_.concurrency > 0 && static_cast<std::int64_t>(under_way_.size()) >= settings_.concurrency) return {};
    if (units_) {
      const auto wait_s = units_->wait_s(now_s);
      if (!wait_s) return {.admitted = true, .on_units = true};
      if (settings_.provisioned->overflow == "refuse") return {.retry_s = *wait_s};
    }
    const auto tokens = static_cast<double>(request.prompt_tokens + request.output_tokens * request.width());
    double wait_s = 0;
    for (const auto& one : {tokens_a_minute_.wait_s(tokens, now_s), requests_a_minute_.wait_s(1, now_s),
                            tokens_a_day_.wait_s(tokens, now_s), requests_a_day_.wait_s(1, now_s)})
      wait_s = std::max(wait_s, one.value_or(0));
    if (wait_s > 0) return {.retry_s = wait_s};
    tokens_a_minute_.take(tokens);
    requests_a_minute_.take(1);
    tokens_a_day_.take(tokens);
    requests_a_day_.take(1);
    return {.admitted = true};
  }

  Settings settings_;
  TargetId self_{};
  PublishedApi measured_{};  // without prompts: the settings say how long it takes
  MinuteQuota tokens_a_minute_;
  MinuteQuota requests_a_minute_;
  DayQuota tokens_a_day_;
  DayQuota requests_a_day_;
  std::optional<ApiCache> cache_{};
  std::optional<ProvisionedUnits> units_{};
  std::priority_queue<double, std::vector<double>, std::greater<>> under_way_{};  // until when
  std::int64_t answered_ = 0;
  std::int64_t refused_ = 0;
  std::int64_t given_up_ = 0;
  std::int64_t prompt_tokens_ = 0;
  std::int64_t cached_tokens_ = 0;
  std::int64_t output_tokens_ = 0;
  std::int64_t on_units_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Api>(
    "api_tier", "an outside API: latency, quotas, 429 with retries, purchased units, price per token");

}  // namespace
}  // namespace servecast
