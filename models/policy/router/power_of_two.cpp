// Router "power_of_two": draw two different replicas at random, take the one with fewer requests.
//
// Nearly as even as comparing all replicas, at the cost of two look-ups (Mitzenmacher, "The Power of Two Choices in
// Randomized Load Balancing", 2001). Ties go to the lower replica id.
#include <algorithm>

#include "models/policy/router.h"

namespace servecast {
namespace {

class PowerOfTwo final : public Router {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit PowerOfTwo(const Settings&) {}

  bool reads_kv() const override { return false; }
  std::optional<Route> pick(const Request&, const ReplicaViews& replicas, Rng& rng) override {
    if (replicas.size() == 1) return replicas[0].id;
    const std::size_t first = rng.below(replicas.size());
    const std::size_t other = rng.below(replicas.size() - 1);
    const std::size_t second = other < first ? other : other + 1;
    const auto [low, high] = std::minmax(first, second);
    return requests(replicas[high]) < requests(replicas[low]) ? replicas[high].id : replicas[low].id;
  }

 private:
  static std::int64_t requests(const ReplicaView& r) { return r.waiting_requests + r.running_requests; }
};

[[maybe_unused]] const bool added =
    Registry<Router>::add<PowerOfTwo>("power_of_two", "the less busy of two replicas drawn at random");

}  // namespace
}  // namespace servecast
