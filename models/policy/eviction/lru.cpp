// Eviction "lru": what was not used for the longest time leaves first.
//
// Keeps what sessions and shared prompts come back to. Washed out by a run of prompts that are not repeated and that
// is longer than the cache.
#include "models/policy/eviction.h"

namespace servecast {
namespace {

class Lru final : public Eviction {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Lru(const Settings&) {}

  std::uint64_t rank(const CacheUse& use) const override { return use.now; }
};

[[maybe_unused]] const bool added = Registry<Eviction>::add<Lru>("lru", "least recently used first");

}  // namespace
}  // namespace servecast
