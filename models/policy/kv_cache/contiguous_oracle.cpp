// KV cache "contiguous_oracle": every sequence reserves exactly what it will need ("Orca (Oracle)" of Kwon et al.,
// SOSP 2023, section 6.1).
//
// No server knows output lengths in advance: this is the best that reserving in one piece could do.
#include "models/policy/caches/contiguous_cache.h"

namespace servecast {
namespace {

class ContiguousOracle final : public ContiguousCache {
 public:
  using ContiguousCache::ContiguousCache;

 private:
  std::int64_t reserved_tokens(const Request& r) const override { return r.prompt_tokens + r.output_tokens; }
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<ContiguousOracle>("contiguous_oracle", "one piece per sequence, of its true length");

}  // namespace
}  // namespace servecast
