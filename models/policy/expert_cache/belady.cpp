// Expert cache "belady": the expert that is needed again last leaves first, and one needed later than all that is
// there is not taken in (Belady 1966, with bypass).
//
// No cache of that size hits more: the bound for the others. Knows the future, so for replays only.
#include "models/policy/expert_cache.h"

namespace servecast {
namespace {

class BeladyExperts final : public RanksLike {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit BeladyExperts(const Settings&) : RanksLike("belady") {}
};

[[maybe_unused]] const bool added = Registry<ExpertCache>::add<BeladyExperts>(
    "belady", "needed again last, first; knows the future: the bound for the others");

}  // namespace
}  // namespace servecast
