// Expert prefetch "oracle": exactly what the next layer will ask for.
//
// The bound for the others: only bandwidth is left to wait for.
#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class Oracle final : public ExpertPrefetch {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Oracle(const Settings&) {}
  std::vector<ExpertId> predict(const LayerView& view, Rng&) override {
    return {view.coming.begin(), view.coming.end()};
  }
};

[[maybe_unused]] const bool added =
    Registry<ExpertPrefetch>::add<Oracle>("oracle", "what the next layer will ask for: the bound for the others");

}  // namespace
}  // namespace servecast
