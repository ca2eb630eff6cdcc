// Expert cache "lfu": the expert that was used least often since it came in leaves first.
//
// Keeps a layer's favourites through a topic that wants others. Counts never age: what one request liked stays.
#include "models/policy/expert_cache.h"

namespace servecast {
namespace {

class LfuExperts final : public RanksLike {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LfuExperts(const Settings&) : RanksLike("lfu") {}
};

[[maybe_unused]] const bool added =
    Registry<ExpertCache>::add<LfuExperts>("lfu", "least often used first; ties to lru");

}  // namespace
}  // namespace servecast
