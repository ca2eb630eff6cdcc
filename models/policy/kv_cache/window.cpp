// KV cache "window": a sequence keeps its first tokens and its last ones, and forgets what lies between
// (StreamingLLM, Xiao et al., ICLR 2024; without sinks: the rolling buffer of Mistral 7B, Jiang et al. 2023).
//
// The buffer is taken at admission, as long as it will ever be, so no sequence is preempted; a step reads no more
// than the buffer per sequence however long it has become. Room for more sequences and steady steps, at the price of
// answers that do not know the middle of what was said: the forecast says nothing of that. Nothing is shared between
// requests.
//
// A chunk of a prompt attends to what the window keeps of the prompt before it and to all of itself.
#include <algorithm>

#include "models/policy/caches/counted_cache.h"

namespace servecast {
namespace {

class Window final : public CountedCache {
 public:
  struct Settings : BlockSettings {
    std::int64_t sink_tokens = 4;
    std::int64_t window_tokens = 2044;
    void fields(Fields& f) {
      BlockSettings::fields(f);
      f.field("sink_tokens", sink_tokens, "first tokens that are kept (StreamingLLM: 4)");
      f.field("window_tokens", window_tokens, "last tokens that are kept", at_least_one);
    }
  };
  explicit Window(const Settings& settings)
      : CountedCache(settings), kept_tokens_(settings.sink_tokens + settings.window_tokens) {}

  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    if (tokens == 0) return 0;
    // The last output token is never held.
    const std::int64_t longest = request.prompt_tokens + std::max<std::int64_t>(request.output_tokens - 1, 0);
    const std::int64_t kept = std::min(std::max(tokens, longest), kept_tokens_);
    // Once something is forgotten, sequences side by side have nothing left that only one of them need keep.
    return longest > kept_tokens_ ? request.width() * settings().blocks_for(kept)
                                  : settings().blocks_for(request, std::max(tokens, longest));
  }
  std::int64_t growth_tokens() const override { return 0; }
  std::int64_t attended_tokens() const override { return kept_tokens_; }

 private:
  std::int64_t kept_tokens_;
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<Window>("window", "first and last tokens of each sequence; the middle is forgotten");

}  // namespace
}  // namespace servecast
