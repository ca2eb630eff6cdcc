// Speculation "none": every sequence makes one token a step.
#include "models/policy/speculative.h"

namespace servecast {
namespace {

class None final : public Speculation {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit None(const Settings&) {}

  std::int64_t max_drafts() const override { return 0; }
  std::int64_t drafts(const DraftLoad&) const override { return 0; }
  Drafter drafter() const override { return {}; }
  AcceptanceSettings acceptance() const override { return {}; }
  std::int64_t lookahead_tokens(std::int64_t) const override { return 0; }
};

[[maybe_unused]] const bool added = Registry<Speculation>::add<None>("none", "one token a step");

}  // namespace
}  // namespace servecast
