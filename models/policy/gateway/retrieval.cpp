// Gateway "retrieval": passages from a vector store are put into the prompt.
//
// Every request that is looked up pays for the embedding, on servers of its own or on a pool, for the search, which
// takes what its index reads (vector_search.h), and for the prefill of the passages. They stand behind the system
// prompt, so the prompt's beginning is the same as others' up to there only. What they add to the answers belongs
// into the table of scores.
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/embedding.h"
#include "models/policy/stages/vector_search.h"

namespace servecast {
namespace {

class Retrieval final : public GatewayPolicy {
 public:
  struct Settings {
    double looked_up_fraction = 1;
    std::int64_t passages = 5;
    std::int64_t passage_tokens = 200;
    std::int64_t keep_tokens = 0;
    EmbeddingSettings embedding{};
    VectorSearchSettings search{};
    void fields(Fields& f) {
      f.field("looked_up_fraction", looked_up_fraction, "share of requests that need it", fraction);
      f.field("passages", passages, "how many are put in", at_least_one);
      f.field("passage_tokens", passage_tokens, "length of each", at_least_one);
      f.field("keep_tokens", keep_tokens, "first tokens, before the passages: the system prompt");
      f.group("embedding", embedding, "of the question");
      f.group("search", search, "in the vector store");
    }
  };
  explicit Retrieval(const Settings& settings)
      : settings_(settings), embedding_(settings.embedding), search_(settings.search) {}

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all;
    for (const std::string& problem : settings_.search.problems()) all.push_back({"search", problem});
    return all;
  }
  std::vector<NamedTarget> targets() const override {
    std::vector<NamedTarget> all;
    embedding_.add_target(all);
    return all;
  }
  void prepare(const GatewayContext& context) override { embedding_.prepare(context); }

  StageAction arrive(const StageInput& input) override {
    if (input.rng.uniform() >= settings_.looked_up_fraction) return {};
    ++looked_up_;
    const std::int64_t added = settings_.passages * settings_.passage_tokens;
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    const std::int64_t kept = std::min(settings_.keep_tokens, prompt);
    input.outgoing.rewrite_prompt(prompt + added, kept);
    if (const auto call = embedding_.call(prompt - kept)) return {.call = call};
    return search(input, embedding_.here_s(input.now_s, prompt - kept, input.rng), embedding_.usd());
  }
  StageAction resumed(const StageInput& input) override { return search(input, 0, 0); }
  std::vector<PolicyCount> counts() const override { return {{"looked_up", static_cast<double>(looked_up_)}}; }

 private:
  StageAction search(const StageInput& input, double embedded_s, double usd) {
    constexpr double usual_vectors = 1e6;
    const double found_s = search_.call_s(input.now_s + embedded_s, input.rng, usual_vectors);
    return {.delay_s = embedded_s + found_s, .usd = usd + search_.usd()};
  }

  Settings settings_;
  Embedding embedding_;
  VectorSearch search_;
  std::int64_t looked_up_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Retrieval>("retrieval", "passages from a vector store lengthen the prompt");

}  // namespace
}  // namespace servecast
