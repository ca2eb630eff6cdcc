// Eviction "lfu": what was used least often leaves first, among equals the least recently used.
//
// Keeps system prompts that all requests begin with through a flood of prompts that are never repeated. Counts never
// age: what was popular once stays, and a new favourite has to be asked for as often before it is safe.
#include <algorithm>

#include "models/policy/eviction.h"

namespace servecast {
namespace {

class Lfu final : public Eviction {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Lfu(const Settings&) {}

  // Uses in the upper 24 bits, the time of the last one in the lower 40.
  std::uint64_t rank(const CacheUse& use) const override {
    constexpr std::uint64_t time_bits = 40;
    constexpr std::uint64_t most_uses = (std::uint64_t{1} << (64 - time_bits)) - 1;
    constexpr std::uint64_t time_mask = (std::uint64_t{1} << time_bits) - 1;
    return std::min(use.uses, most_uses) << time_bits | (use.now & time_mask);
  }
};

[[maybe_unused]] const bool added = Registry<Eviction>::add<Lfu>("lfu", "least often used first; ties to lru");

}  // namespace
}  // namespace servecast
