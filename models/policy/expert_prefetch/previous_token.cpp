// Expert prefetch "previous_token": what the step before asked for in a layer, it will ask for again.
//
// Free, and right as often as experts repeat from token to token (gpt-oss-20b: 43.7 %). But what was asked for last
// is what a cache holds anyway: little is left to load early, so it helps small caches only.
#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class PreviousToken final : public ExpertPrefetch {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit PreviousToken(const Settings&) {}
  std::vector<ExpertId> predict(const LayerView& view, Rng&) override {
    return {view.before.begin(), view.before.end()};
  }
};

[[maybe_unused]] const bool added =
    Registry<ExpertPrefetch>::add<PreviousToken>("previous_token", "what the step before asked for in that layer");

}  // namespace
}  // namespace servecast
