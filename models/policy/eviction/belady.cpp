// Eviction "belady": what is needed again last leaves first, and what is needed later than all that is there is not
// taken in (Belady 1966, with bypass).
//
// No cache of the same size hits more blocks, so this is the bound for the others. It knows the future: for replaying
// traces, not for serving.
//
// In a tree of prefixes leaves suffice: a block is needed again no later than any block behind it.
#include "models/policy/eviction.h"

namespace servecast {
namespace {

class Belady final : public Eviction {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Belady(const Settings&) {}

  std::uint64_t rank(const CacheUse& use) const override { return CacheUse::never_again - use.next_use; }
  bool clairvoyant() const override { return true; }
};

[[maybe_unused]] const bool added =
    Registry<Eviction>::add<Belady>("belady", "needed again last, first; knows the future: the bound for the others");

}  // namespace
}  // namespace servecast
