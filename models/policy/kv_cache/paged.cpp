// KV cache "paged": fixed blocks handed out one at a time (PagedAttention, Kwon et al., SOSP 2023).
//
// A sequence wastes at most one block less one token. Nothing is shared between requests and nothing is kept after
// they finish; see "paged_prefix" for that. Where layers have a sliding window and the engine groups them, a block is
// of one group, and a sequence holds of windowed ones no more than the window.
#include "models/policy/caches/counted_cache.h"

namespace servecast {
namespace {

class Paged final : public CountedCache {
 public:
  using CountedCache::CountedCache;

  std::int64_t blocks_for(const Request& request, std::int64_t tokens) const override {
    return settings().blocks_for(request, tokens, groups());
  }
  bool drops_outside_window() const override { return true; }
  bool keeps_states() const override { return true; }
  std::int64_t growth_tokens() const override { return settings().block_tokens; }
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<Paged>("paged", "fixed blocks, one at a time; nothing shared or kept");

}  // namespace
}  // namespace servecast
