// Gateway "semantic_cache": a request whose embedding is near enough to that of one answered before gets its answer
// (GPTCache; GPT Semantic Cache, arXiv 2411.05276).
//
// Every request pays for its embedding, on servers of its own or on a pool, and for the search, which reads every
// answer that is held unless an index says otherwise, so it gains only where enough is asked again: expected latency
// = look-up + (1 - hit rate) * model. What is asked is made up: requests are paraphrases of intents of a Zipf
// popularity, a share of them repeats no other. The cosine to a stored paraphrase of the same intent is normal, so is
// that to each of the other entries, and the nearest of all counts if it reaches the threshold: where that one is
// about something else, the answer is wrong (a false hit), the more often the fuller the cache and the lower the
// threshold. The defaults give what 2411.05276 measured at 0.8 with 8,000 entries: 61.6 to 68.8 % of queries whose
// answer is there are hits, and above 97 % of hits are right; other thresholds follow from the normal tails. Answers
// enter when they are finished. Temperature is GPTCache's: below 2 a hit is skipped with probability 1/(1+e^(1/T)),
// from 2 on always, at 0 never.
#include <memory>
#include <numeric>

#include "models/base/normal_quantile.h"
#include "models/policy/gateway.h"
#include "models/policy/stages/answer_store.h"
#include "models/policy/stages/embedding.h"
#include "models/policy/stages/vector_search.h"

namespace servecast {
namespace {

struct Cosine {
  double mean = 0;
  double deviation = 0;
  void fields(Fields& f) {
    f.field("mean", mean, "mean cosine", {.min = -1, .max = 1});
    f.field("deviation", deviation, "its standard deviation", {.min = 0, .max = 1});
  }
  /// Of the nearest of so many entries.
  double nearest(std::int64_t count, Rng& rng) const {
    const double uniform = 1 - rng.uniform();  // above 0
    const double highest = stable::exp(stable::log(uniform) / static_cast<double>(count));
    if (highest >= 1) return mean + 8 * deviation;
    return mean + deviation * normal_quantile(highest);
  }
};

struct IntentSettings {
  std::int64_t count = 10'000;
  double zipf_exponent = 1;
  double unique_fraction = 0.3;
  void fields(Fields& f) {
    f.field("count", count, "different things that are asked more than once", {.min = 1, .max = 1e7});
    f.field("zipf_exponent", zipf_exponent, "the i-th is asked in proportion to i^-this; 0: all alike");
    f.field("unique_fraction", unique_fraction, "share of requests that ask what no other does", fraction);
  }
};

class SemanticCache final : public GatewayPolicy {
 public:
  struct Settings {
    EmbeddingSettings embedding{};
    VectorSearchSettings search{.index = "flat", .bytes_per_vector = 768 * 4};
    double threshold = 0.8;
    double temperature = 0;
    std::optional<double> ttl_s{};
    std::int64_t capacity = 100'000;
    Choice<Eviction> eviction{"lru"};
    IntentSettings intents{};
    Cosine same{.mean = 0.83, .deviation = 0.08};
    Cosine other{.mean = 0.25, .deviation = 0.12};
    double false_hit_score = 0;
    std::string rewriter;
    std::int64_t rewrite_prompt_tokens = 100;
    void fields(Fields& f) {
      f.group("embedding", embedding, "of the request");
      f.group("search", search, "for the nearest entry");
      f.field("threshold", threshold, "least cosine of a hit (GPTCache: 0.8)", {.min = -1, .max = 1});
      f.field("temperature", temperature,
              "skips hits at random, for variety: 0 none, 0.7213 one in five, 2 and above all");
      f.field("ttl_s", ttl_s, "answers older than this are gone; left out: none is too old", positive);
      f.field("capacity", capacity, "answers that it holds", {.min = 1, .max = 1e8});
      f.group("eviction", eviction, "which answer leaves when it is full");
      f.group("intents", intents, "what is asked how often");
      f.group("same", same, "cosine to a stored paraphrase of the same intent");
      f.group("other", other, "cosine to any other entry");
      f.field("false_hit_score", false_hit_score, "score of the answer to another question", fraction);
      f.field("rewriter", rewriter,
              "pool or API tier that words a found answer anew; left out: it goes out as it is");
      f.field("rewrite_prompt_tokens", rewrite_prompt_tokens, "instructions to the rewriter beside the answer");
    }
  };
  explicit SemanticCache(const Settings& settings)
      : settings_(settings),
        embedding_(settings.embedding),
        search_(settings.search),
        store_(static_cast<std::size_t>(settings.capacity), settings.ttl_s, settings.eviction.make()) {
    for (std::int64_t i = 1; i <= settings.intents.count; ++i)
      popularity_.push_back((popularity_.empty() ? 0 : popularity_.back()) +
                            stable::pow(static_cast<double>(i), -settings.intents.zipf_exponent));
  }

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all;
    if (const auto problem = needs_future(*settings_.eviction.make())) all.push_back({"eviction", *problem});
    for (const std::string& problem : settings_.search.problems()) all.push_back({"search", problem});
    return all;
  }
  std::vector<NamedTarget> targets() const override {
    std::vector<NamedTarget> all;
    if (!settings_.rewriter.empty()) all.push_back({"rewriter", settings_.rewriter});
    embedding_.add_target(all);
    return all;
  }
  bool sees_answers() const override { return true; }
  void prepare(const GatewayContext& context) override {
    embedding_.prepare(context);
    if (!settings_.rewriter.empty()) rewriter_ = context.target(settings_.rewriter);
  }

  StageAction arrive(const StageInput& input) override {
    const std::int64_t tokens = input.outgoing.request.prompt_tokens;
    if (const auto call = embedding_.call(tokens)) return {.call = call};
    return look_up(input, embedding_.here_s(input.now_s, tokens, input.rng), embedding_.usd());
  }
  StageAction resumed(const StageInput& input) override { return look_up(input, 0, 0); }

  GatewayVerdict answered(const StageInput& input, const GatewayAnswer& answer) override {
    if (input.note.number != rewritten)
      store_.put({.intent = input.note.number,
                  .output_tokens = answer.output_tokens,
                  .stored_s = input.now_s,
                  .score = answer.score});
    return {};
  }

  std::vector<PolicyCount> counts() const override {
    const auto real = [](std::int64_t n) { return static_cast<double>(n); };
    return {{"hits", real(hits_)},
            {"false_hits", real(false_hits_)},
            {"skipped_hits", real(skipped_)},
            {"entries", real(store_.size())},
            {"evicted", real(store_.evicted())},
            {"expired", real(store_.expired())}};
  }

 private:
  static constexpr std::int64_t rewritten = -1;

  StageAction look_up(const StageInput& input, double embedded_s, double usd) {
    StageAction step{.delay_s = embedded_s, .usd = usd + search_.usd()};
    step.delay_s += search_.call_s(input.now_s + embedded_s, input.rng, static_cast<double>(store_.size()));
    input.note.number = intent(input.rng);
    store_.expire(input.now_s);
    const std::optional<StoredAnswer> found = find(input.note.number, input.rng);
    if (!found) return step;
    if (skips(input.rng)) {
      ++skipped_;
      return step;
    }
    const bool right = found->intent == input.note.number;
    ++(right ? hits_ : false_hits_);
    const std::optional<double> score = right ? found->score : std::optional(settings_.false_hit_score);
    if (!rewriter_) {
      step.answer = {.output_tokens = found->output_tokens, .score = score};
      return step;
    }
    input.note.number = rewritten;
    input.outgoing.rewrite_prompt(found->output_tokens + settings_.rewrite_prompt_tokens, 0);
    input.outgoing.request.output_tokens = std::max<std::int64_t>(1, found->output_tokens);
    input.outgoing.target = *rewriter_;
    input.outgoing.score = score;
    input.outgoing.fixed = true;
    return step;
  }

  /// From 0 on; an intent of one request alone has a number beyond those.
  std::int64_t intent(Rng& rng) {
    if (rng.uniform() < settings_.intents.unique_fraction) return settings_.intents.count + unique_++;
    const auto found = std::ranges::upper_bound(popularity_, rng.uniform() * popularity_.back());
    return std::min<std::int64_t>(found - popularity_.begin(), settings_.intents.count - 1);
  }

  std::optional<StoredAnswer> find(std::int64_t intent, Rng& rng) {
    const std::int64_t same = store_.count(intent);
    const std::int64_t other = store_.size() - same;
    const double to_same = same > 0 ? settings_.same.nearest(same, rng) : -1;
    const double to_other = other > 0 ? settings_.other.nearest(other, rng) : -1;
    if (same + other == 0 || std::max(to_same, to_other) < settings_.threshold) return std::nullopt;
    const auto which = [&](std::int64_t of) {
      return static_cast<std::int64_t>(rng.below(static_cast<std::uint64_t>(of)));
    };
    if (same > 0 && (to_same >= to_other || other == 0)) return store_.of_intent(intent, which(same));
    return store_.other_than(intent, which(store_.size()));
  }

  bool skips(Rng& rng) const {
    if (settings_.temperature <= 0) return false;
    if (settings_.temperature >= 2) return true;
    return rng.uniform() < 1 / (1 + stable::exp(1 / settings_.temperature));
  }

  Settings settings_;
  Embedding embedding_;
  VectorSearch search_;
  AnswerStore store_;
  std::vector<double> popularity_;  // cumulative
  std::optional<TargetId> rewriter_{};
  std::int64_t unique_ = 0;
  std::int64_t hits_ = 0;
  std::int64_t false_hits_ = 0;
  std::int64_t skipped_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<SemanticCache>(
    "semantic_cache", "answers what was asked before in other words, from memory");

}  // namespace
}  // namespace servecast
