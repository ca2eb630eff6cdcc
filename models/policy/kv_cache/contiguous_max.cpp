// KV cache "contiguous_max": every sequence reserves the longest that one may become (Orca, Yu et al., OSDI 2022;
// "Orca (Max)" of Kwon et al., SOSP 2023).
//
// Few sequences fit, and most of what they reserve stays empty: 20 % of it held tokens on ShareGPT (Kwon et al.,
// figure 2). A request longer than `max_tokens` is rejected.
#include "models/policy/caches/contiguous_cache.h"

namespace servecast {
namespace {

class ContiguousMax final : public ContiguousCache {
 public:
  struct Settings : BlockSettings {
    std::int64_t max_tokens = 2048;
    void fields(Fields& f) {
      BlockSettings::fields(f);
      f.field("max_tokens", max_tokens, "longest prompt and output together that a sequence may have", at_least_one);
    }
  };
  explicit ContiguousMax(const Settings& settings) : ContiguousCache(settings), max_tokens_(settings.max_tokens) {}

 private:
  std::int64_t reserved_tokens(const Request&) const override { return max_tokens_; }
  std::int64_t max_tokens_;
};

[[maybe_unused]] const bool added =
    Registry<KvCache>::add<ContiguousMax>("contiguous_max", "one piece per sequence, of the longest possible length");

}  // namespace
}  // namespace servecast
