// Gateway "context_window": of a conversation only the last turns, or the last tokens, are sent.
//
// Costs nothing and bounds the prompt. Loses where the model needs what was cut, and with a prefix cache: once the
// first turn is dropped, every prompt begins differently behind the system prompt, so what was said before is
// computed again in every turn. A chat of ten turns may so be cheaper whole. Turns are those that this stage has seen
// of a session.
#include <deque>
#include <map>

#include "models/policy/gateway.h"

namespace servecast {
namespace {

class ContextWindow final : public GatewayPolicy {
 public:
  struct Settings {
    std::optional<std::int64_t> last_turns{};
    std::optional<std::int64_t> last_tokens{};
    std::int64_t keep_tokens = 0;
    double quality_factor = 1;
    void fields(Fields& f) {
      f.field("last_turns", last_turns, "turns that are sent with the question; left out: as many as there are");
      f.field("last_tokens", last_tokens, "tokens that are sent beside the system prompt; left out: all",
              at_least_one);
      f.field("keep_tokens", keep_tokens, "first tokens that are always sent: the system prompt");
      f.field("quality_factor", quality_factor, "what is left of an answer's score where something was cut",
              fraction);
    }
  };
  explicit ContextWindow(const Settings& settings) : settings_(settings) {}

  std::vector<SettingProblem> problems() const override {
    if (!settings_.last_turns && !settings_.last_tokens) return {{"", "give 'last_turns' or 'last_tokens', or both"}};
    return {};
  }

  StageAction arrive(const StageInput& input) override {
    const Request& request = input.outgoing.request;
    const std::int64_t prompt = request.prompt_tokens;
    const std::int64_t kept = std::min(settings_.keep_tokens, prompt);
    std::int64_t cut = dropped_turns_tokens(request) - kept;
    if (settings_.last_tokens) cut = std::max(cut, prompt - kept - *settings_.last_tokens);
    cut = std::min(cut, prompt - kept - 1);
    if (cut <= 0) return {};
    ++cut_requests_;
    cut_tokens_ += cut;
    input.outgoing.rewrite_prompt(prompt - cut, kept);
    input.outgoing.quality_factor *= settings_.quality_factor;
    return {};
  }

  std::vector<PolicyCount> counts() const override {
    return {{"cut_requests", static_cast<double>(cut_requests_)}, {"cut_tokens", static_cast<double>(cut_tokens_)}};
  }

 private:
  /// Where the turns begin that are still sent: each turn of a session begins where the one before has ended.
  std::int64_t dropped_turns_tokens(const Request& request) {
    if (!settings_.last_turns || request.session == SessionId{}) return 0;
    std::deque<std::int64_t>& ends = turn_ends_[request.session];
    while (!ends.empty() && ends.back() > request.prompt_tokens) ends.pop_back();  // not part of this prompt
    const auto turns = static_cast<std::size_t>(*settings_.last_turns);
    const std::int64_t dropped = ends.size() > turns ? ends[ends.size() - turns - 1] : 0;
    ends.push_back(request.prompt_tokens + request.output_tokens);
    if (ends.size() > turns + 1) ends.pop_front();
    return dropped;
  }

  Settings settings_;
  std::map<SessionId, std::deque<std::int64_t>> turn_ends_;
  std::int64_t cut_requests_ = 0;
  std::int64_t cut_tokens_ = 0;
};

[[maybe_unused]] const bool added =
    Registry<GatewayPolicy>::add<ContextWindow>("context_window", "sends the last turns or tokens of a conversation");

}  // namespace
}  // namespace servecast
