// Router "round_robin": take the replicas in turn, whatever their load.
//
// Good when requests are alike. With sizes that differ a lot, some replica gets several long ones in a row.
#include "models/policy/router.h"

namespace servecast {
namespace {

class RoundRobin final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit RoundRobin(const Settings&) {}

  bool reads_state() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng&) override {
    return replicas[next_++ % replicas.size()].id;
  }

 private:
  std::size_t next_ = 0;
};

[[maybe_unused]] const bool added = Registry<Router>::add<RoundRobin>("round_robin", "each replica in turn");

}  // namespace
}  // namespace servecast
