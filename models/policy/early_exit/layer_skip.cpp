// Early exit "layer_skip": the first layers, with the LM head behind them, draft several tokens; the others check
// them together and start from what the first ones have computed (LayerSkip, Elhoushi et al., ACL 2024).
//
// No second model and no memory of its own, and the output is the model's. But drafts cost whole layers: it needs a
// model trained to be right early, and small batches.
#include "models/policy/early_exit.h"
#include "models/policy/shared/drafting.h"

namespace servecast {
namespace {

class FirstLayers final : public Drafting {
 public:
  FirstLayers(const DraftSettings& settings, std::int64_t layers) : Drafting(settings), layers_(layers) {}
  Drafter drafter() const override { return {.first_layers = layers_}; }
  std::int64_t lookahead_tokens(std::int64_t) const override {
    return 0;
  }  // drafts write KV where it will be checked

 private:
  std::int64_t layers_;
};

class LayerSkip final : public EarlyExit {
 public:
  struct Settings : DraftSettings {
    std::int64_t exit_layer = 8;
    // Llama-2-7B, CNN/DM: 8 layers draft 12 tokens of which 68.9 % are taken over (Elhoushi et al.). That is
    // the share of all drafts; 0.943 is the chance of one behind right ones that makes it.
    Settings() : DraftSettings{.num_speculative_tokens = 12, .acceptance = {.by_position = {0.943}}} {}
    void fields(Fields& f) {
      f.field("exit_layer", exit_layer, "layers that draft", at_least_one);
      DraftSettings::fields(f);
    }
  };
  explicit LayerSkip(const Settings& settings) : settings_(settings) {}

  std::unique_ptr<Speculation> self_drafting() const override {
    return std::make_unique<FirstLayers>(settings_, settings_.exit_layer);
  }
  std::optional<std::string> problem(const Llm& llm) const override {
    if (settings_.exit_layer < llm.layers) return std::nullopt;
    return "exit_layer " + std::to_string(settings_.exit_layer) + " leaves nothing to check the drafts: " + llm.name +
           " has " + std::to_string(llm.layers) + " layers";
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<EarlyExit>::add<LayerSkip>("layer_skip", "the first layers draft, the others check");

}  // namespace
}  // namespace servecast
