// Expert cache "lru": the expert that was not used for the longest time leaves first.
//
// Lives on what a request comes back to from token to token (on gpt-oss-20b, 16 of 32 slots hold 88.6 % of the
// uses of one request's tokens). With many requests in a batch that locality is gone, and popularity is all there is.
#include "models/policy/expert_cache.h"

namespace servecast {
namespace {

class LruExperts final : public RanksLike {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit LruExperts(const Settings&) : RanksLike("lru") {}
};

[[maybe_unused]] const bool added = Registry<ExpertCache>::add<LruExperts>("lru", "least recently used first");

}  // namespace
}  // namespace servecast
