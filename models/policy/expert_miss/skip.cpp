// Expert miss "skip": missing experts are left out.
//
// As fast as if all were there, and answers suffer: no more than if any expert stood in. Of use as the other bound.
#include "models/policy/expert_miss.h"

namespace servecast {
namespace {

class SkipMisses final : public ExpertMiss {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit SkipMisses(const Settings&) {}
  void answer(const MissView&, Rng&, std::span<ServedChoice> served) const override {
    for (ServedChoice& choice : served)
      if (choice.by == ServedBy::load) choice.by = ServedBy::none;
  }
};

[[maybe_unused]] const bool added = Registry<ExpertMiss>::add<SkipMisses>("skip", "they are left out");

}  // namespace
}  // namespace servecast
