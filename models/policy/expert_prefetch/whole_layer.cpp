// Expert prefetch "whole_layer": all experts of the next layer, wanted or not.
//
// What engines do that offload layer by layer and know no experts (DeepSpeed ZeRO-Inference, Accelerate). Right for
// prompts and large batches, which touch every expert; for single tokens it moves many times what is needed.
#include "models/policy/expert_prefetch.h"

namespace servecast {
namespace {

class WholeLayer final : public ExpertPrefetch {
 public:
  struct Settings {
    void fields(Fields&) {}
  };
  explicit WholeLayer(const Settings&) {}
  void resize(const ExpertShape& shape) override {
    all_.clear();
    for (std::int64_t i = 0; i < shape.experts; ++i) all_.push_back(ExpertId{static_cast<std::uint16_t>(i)});
  }
  std::vector<ExpertId> predict(const LayerView&, Rng&) override { return all_; }

 private:
  std::vector<ExpertId> all_{};
};

[[maybe_unused]] const bool added =
    Registry<ExpertPrefetch>::add<WholeLayer>("whole_layer", "all experts of the next layer, wanted or not");

}  // namespace
}  // namespace servecast
