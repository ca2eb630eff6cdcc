// Router "session": consistent hashing of the session, or of the client where there is no session.
//
// Good for conversations: a session's next turn finds the KV of those before it. Blind to load, so a few busy
// sessions or tenants can swamp a replica, and to beginnings that sessions share (system prompts), which every
// replica computes. Requests with neither go to the replica with the fewest requests.
//
// vLLM production-stack, routing logic "session"; Karger et al., "Consistent hashing and random trees", STOC 1997.
#include "models/policy/shared/session_ring.h"

namespace servecast {
namespace {

class Session final : public Router {
 public:
  struct Settings {
    std::int64_t virtual_nodes = HashRing::usual_points;
    void fields(Fields& f) {
      f.field("virtual_nodes", virtual_nodes, "points on the ring per replica: more is more even",
              {.min = 1, .max = 10'000});
    }
  };
  explicit Session(const Settings& settings) : ring_(settings.virtual_nodes) {}

  RequestNeeds needs() const override { return {.client = true}; }
  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request& request, const ReplicaViews& replicas, Rng&) override {
    return ring_.pick(request, replicas);
  }

 private:
  SessionRing ring_;
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<Session>("session", "consistent hashing of the session, or of the client");

}  // namespace
}  // namespace servecast
