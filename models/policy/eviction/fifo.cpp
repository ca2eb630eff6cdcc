// Eviction "fifo": what came in first leaves first, used since or not.
//
// The simplest ring of blocks. It looks at no tree either, so the head of a prompt leaves before its tail, and what
// is left of the prompt only fills the cache. A larger one may hit less (Belady, Nelson and Shedler 1969).
#include "models/policy/eviction.h"

namespace servecast {
namespace {

class Fifo final : public Eviction {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit Fifo(const Settings&) {}

  std::uint64_t rank(const CacheUse& use) const override { return use.entered; }
  bool leaves_only() const override { return false; }
};

[[maybe_unused]] const bool added = Registry<Eviction>::add<Fifo>("fifo", "first in, first out; used since or not");

}  // namespace
}  // namespace servecast
