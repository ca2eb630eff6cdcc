// Eviction "ttl": what was not used for `ttl_s` is gone, whether its room is wanted or not; where room is wanted
// before, the least recently used leaves first.
//
// What hosted prompt caches promise (a price per minute kept), and what an index that only guesses at a cache's
// content does with old guesses: Dynamo's approximate index forgets after 120 s. Never finds more than lru with the
// same room.
#include "models/policy/eviction.h"

namespace servecast {
namespace {

class Ttl final : public Eviction {
 public:
  struct Settings {
    double ttl_s = 120;
    void fields(Fields& f) { f.field("ttl_s", ttl_s, "how long it stays after its last use", positive); }
  };
  explicit Ttl(const Settings& settings) : settings_(settings) {}

  std::uint64_t rank(const CacheUse& use) const override { return use.now; }
  double lifetime_s() const override { return settings_.ttl_s; }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Eviction>::add<Ttl>("ttl", "gone some time after its last use; least recently used before that");

}  // namespace
}  // namespace servecast
