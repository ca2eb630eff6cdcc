// Router "random": any replica with equal chance.
//
// The floor to compare others with: n replicas behave like n separate queues.
#include "models/policy/router.h"

namespace servecast {
namespace {

class Random final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Random(const Settings&) {}

  bool reads_state() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng& rng) override {
    return replicas[rng.below(replicas.size())].id;
  }
};

[[maybe_unused]] const bool added = Registry<Router>::add<Random>("random", "any replica with equal chance");

}  // namespace
}  // namespace servecast
