// Speculation "draft_model": a small model of the same family writes ahead, token by token (Leviathan et al., ICML
// 2023; Chen et al., 2023).
//
// Every draft costs a step of the small model, which keeps weights and KV of its own on the same GPUs. Good with a
// model twenty times smaller or more at small batches; a mediocre one costs more than it saves.
#include "models/policy/shared/drafting.h"

namespace servecast {
namespace {

class DraftModel final : public Drafting {
 public:
  struct Settings : DraftSettings {
    std::string llm;
    // T5-XXL with T5-small on CNN/DM at temperature 0: acceptance 0.65, best length 5 (Leviathan et al., table 2).
    Settings() : DraftSettings{.num_speculative_tokens = 5, .acceptance = {.by_position = {0.65}}} {}
    void fields(Fields& f) {
      f.required("llm", llm, "the small model: a bundled name or the path of a HuggingFace config.json");
      DraftSettings::fields(f);
    }
  };
  explicit DraftModel(const Settings& settings) : Drafting(settings), llm_(settings.llm) {}

  Drafter drafter() const override { return {.llm = llm_}; }

 private:
  std::string llm_;
};

[[maybe_unused]] const bool added =
    Registry<Speculation>::add<DraftModel>("draft_model", "a small model writes ahead, the large one checks");

}  // namespace
}  // namespace servecast
