// KV cache "paged_reserved": a request is admitted only with the blocks of its prompt and its longest output
// (TensorRT-LLM's GUARANTEED_NO_EVICT scheduler policy).
//
// No sequence is ever preempted, and fewer run at a time: blocks stand empty until the output has grown into them.
// The longest output is the output itself, as in benchmarks that ask for an exact number of tokens.
#include <algorithm>

#include "models/policy/caches/counted_cache.h"

namespace servecast {
namespace {

class PagedReserved final : public CountedCache {
 public:
  using CountedCache::CountedCache;

  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    if (tokens == 0) return 0;
    // The last output token is never held.
    const std::int64_t longest = request.prompt_tokens + std::max<std::int64_t>(request.output_tokens - 1, 0);
    const std::int64_t held = std::max(tokens, longest);
    return std::max(settings().blocks_for(request, held, groups()),
                    settings().blocks_for(request, whole_chunks(held), groups()));
  }
  bool drops_outside_window() const override { return true; }
  bool keeps_states() const override { return true; }
  std::int64_t growth_tokens() const override { return 0; }
};

[[maybe_unused]] const bool added = Registry<KvCache>::add<PagedReserved>(
    "paged_reserved", "blocks of prompt and output taken at admission: no sequence is preempted");

}  // namespace
}  // namespace servecast
