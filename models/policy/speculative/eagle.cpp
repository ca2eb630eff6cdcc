// Speculation "eagle": one extra decoder layer on top of the model's last hidden state, with the model's own LM head,
// writes ahead (EAGLE, Li et al., ICML 2024): a chain of drafts, or a tree of them.
//
// A tree of width w has w candidates at every depth, which are drafted w tokens to a pass and all checked at once;
// one path is taken over as far as it is right, so `acceptance` then tells the chance that one of a depth's
// candidates is. More is taken over, and w times as many tokens are checked: for single sequences on devices that
// memory bounds. (EAGLE's own trees are wider at the root than below; w stands for their mean.)
//
// A draft costs a layer and an LM head: a few percent of a step. Good at small and middle batches; needs a head
// trained for the model. Its vocabulary may be a part of the model's (EAGLE-3: 32,000). Left out: the product that
// joins hidden state and embedding, a sixth of the layer.
#include "models/policy/shared/drafting.h"

namespace servecast {
namespace {

class Eagle final : public Drafting {
 public:
  struct Settings : DraftSettings {
    std::int64_t tree_width = 1;
    std::int64_t vocabulary = 0;
    // Chance that the n-th draft of a chain is right, Vicuna-7B on MT-bench at temperature 0 (Li et al., table 2).
    Settings()
        : DraftSettings{.num_speculative_tokens = 3, .acceptance = {.by_position = {0.79, 0.74, 0.72, 0.73, 0.67}}} {}
    void fields(Fields& f) {
      DraftSettings::fields(f);
      f.field("tree_width", tree_width, "candidates at every depth of a tree of drafts; 1: a chain",
              {.min = 1, .max = 64});
      f.field("vocabulary", vocabulary, "tokens that the head can draft; 0: all of the model's");
    }
  };
  explicit Eagle(const Settings& settings)
      : Drafting(settings), width_(settings.tree_width), vocabulary_(settings.vocabulary) {}

  std::int64_t candidates() const override { return width_; }
  Drafter drafter() const override { return {.target_layers = 1, .vocabulary = vocabulary_}; }

 private:
  std::int64_t width_;
  std::int64_t vocabulary_;
};

[[maybe_unused]] const bool added =
    Registry<Speculation>::add<Eagle>("eagle", "an extra layer on the model's last hidden state writes ahead");

}  // namespace
}  // namespace servecast
