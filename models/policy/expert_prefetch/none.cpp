// Expert prefetch "none": experts are loaded when a layer asks for them.
//
// Every miss waits for its whole transfer. What engines do that fetch on demand.
#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class NoPrefetch final : public ExpertPrefetch {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit NoPrefetch(const Settings&) {}
  std::vector<ExpertId> predict(const LayerView&, Rng&) override { return {}; }
};

[[maybe_unused]] const bool added =
    Registry<ExpertPrefetch>::add<NoPrefetch>("none", "loaded when they are asked for");

}  // namespace
}  // namespace servecast
