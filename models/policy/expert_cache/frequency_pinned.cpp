// Expert cache "frequency_pinned": the experts of a layer that are used most in the long run stay for good.
//
// Frequencies come from a profile of the routing, taken before the run. Good where popularity is skewed and steady,
// above all for large batches: nothing is moved to keep up with single requests. Misses what a request comes back to,
// on which "lru" lives: for batches of one it is the worse of both.
#include "models/policy/expert_cache.h"

namespace servecast {
namespace {

class FrequencyPinned final : public ExpertCache {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit FrequencyPinned(const Settings&) {}

  std::uint64_t rank(const CacheUse&, std::uint64_t long_run_uses) const override { return long_run_uses; }
  bool newcomers_compete() const override { return true; }
  bool starts_full() const override { return true; }
};

[[maybe_unused]] const bool added =
    Registry<ExpertCache>::add<FrequencyPinned>("frequency_pinned", "the most used in the long run stay for good");

}  // namespace
}  // namespace servecast
