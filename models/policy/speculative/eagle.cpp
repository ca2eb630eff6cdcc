// Speculation "eagle": one extra decoder layer on top of the model's last hidden state, with the model's own LM head,
// writes ahead (EAGLE, Li et al., ICML 2024). A chain of drafts, not a tree.
//
// A draft costs a layer and an LM head: a few percent of a step. Good at small and middle batches; needs a head
// trained for the model. Its vocabulary may be a part of the model's (EAGLE-3: 32,000). Left out: the product that
// joins hidden state and embedding, a sixth of the layer.
#include "models/policy/drafting.h"

namespace servecast {
namespace {

class Eagle final : public Drafting {
 public:
  struct Settings : DraftSettings {
    std::int64_t vocabulary = 0;
    // Chance that the n-th draft of a chain is right, Vicuna-7B on MT-bench at temperature 0 (Li et al., table 2).
    Settings()
        : DraftSettings{.num_speculative_tokens = 3, .acceptance = {.by_position = {0.79, 0.74, 0.72, 0.73, 0.67}}} {}
    void fields(Fields& f) {
      DraftSettings::fields(f);
      f.field("vocabulary", vocabulary, "tokens that the head can draft; 0: all of the model's");
    }
  };
  explicit Eagle(const Settings& settings) : Drafting(settings), vocabulary_(settings.vocabulary) {}

  Drafter drafter() const override { return {.target_layers = 1, .vocabulary = vocabulary_}; }

 private:
  std::int64_t vocabulary_;
};

[[maybe_unused]] const bool added =
    Registry<Speculation>::add<Eagle>("eagle", "an extra layer on the model's last hidden state writes ahead");

}  // namespace
}  // namespace servecast
