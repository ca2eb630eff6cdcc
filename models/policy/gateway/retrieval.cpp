// Gateway "retrieval": passages from a vector store are put into the prompt.
//
// Every request that is looked up pays for the embedding, the search and the prefill of the passages. They
// stand behind the system prompt, so the prompt's beginning is the same as others' up to there only. What they add to
// the answers belongs into the table of scores.
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/gateway_service.h"

namespace servecast {
namespace {

class Retrieval final : public GatewayPolicy {
 public:
  struct Settings {
    double looked_up_fraction = 1;
    std::int64_t passages = 5;
    std::int64_t passage_tokens = 200;
    std::int64_t keep_tokens = 0;
    ServiceSettings embedding{.median_s = 0.010};
    ServiceSettings search{.median_s = 0.005};
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

  StageAction arrive(const StageInput& input) override {
    if (input.rng.uniform() >= settings_.looked_up_fraction) return {};
    ++looked_up_;
    const std::int64_t added = settings_.passages * settings_.passage_tokens;
    const std::int64_t prompt = input.outgoing.request.prompt_tokens;
    input.outgoing.rewrite_prompt(prompt + added, std::min(settings_.keep_tokens, prompt));
    const double embedded_s = embedding_.call_s(input.now_s, input.rng);
    const double found_s = search_.call_s(input.now_s + embedded_s, input.rng);
    return {.delay_s = embedded_s + found_s, .usd = embedding_.usd() + search_.usd()};
  }
  std::vector<PolicyCount> counts() const override { return {{"looked_up", static_cast<double>(looked_up_)}}; }

 private:
  Settings settings_;
  GatewayService embedding_;
  GatewayService search_;
  std::int64_t looked_up_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<Retrieval>("retrieval", "passages from a vector store lengthen the prompt");

}  // namespace
}  // namespace servecast
