// KV cache "contiguous_pow2": every sequence reserves its prompt and its output rounded up to a power of two ("Orca
// (Pow2)" of Kwon et al., SOSP 2023, section 6.1).
//
// Stands for an engine that guesses output lengths within a factor of two: it looks at the true length.
#include "models/policy/caches/contiguous_cache.h"

namespace servecast {
namespace {

class ContiguousPow2 final : public ContiguousCache {
 public:
  using ContiguousCache::ContiguousCache;

 private:
  std::int64_t reserved_tokens(const Request& r) const override {
    return r.prompt_tokens + Buddy::rounded(r.output_tokens);
  }
};

[[maybe_unused]] const bool added = Registry<KvCache>::add<ContiguousPow2>(
    "contiguous_pow2", "one piece per sequence, of its prompt and its output rounded up to a power of two");

}  // namespace
}  // namespace servecast
