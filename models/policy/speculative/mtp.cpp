// Speculation "mtp": the model was trained with modules that predict the tokens after the next one, and they write
// ahead (multi-token prediction, DeepSeek-V3 report, section 2.2). With one module, more drafts come from running it
// again on its own output.
//
// The best drafts there are, for models that have such modules: 80 to 90 % of second tokens are right (DeepSeek-V3,
// ISCA 2025). Each module is a whole layer, experts included.
#include "models/policy/shared/drafting.h"

namespace servecast {
namespace {

class Mtp final : public Drafting {
 public:
  struct Settings : DraftSettings {
    Settings() : DraftSettings{.num_speculative_tokens = 1, .acceptance = {.by_position = {0.85}}} {}
    void fields(Fields& f) { DraftSettings::fields(f); }
  };
  explicit Mtp(const Settings& settings) : Drafting(settings) {}

  Drafter drafter() const override { return {.target_layers = 1}; }
};

[[maybe_unused]] const bool added =
    Registry<Speculation>::add<Mtp>("mtp", "modules trained with the model write ahead");

}  // namespace
}  // namespace servecast
