#include "models/hw/additions/prompt_launch.h"

#include "models/hw/llm/shape.h"

namespace servecast {
namespace {

class PromptLaunch final : public StepLatency {
 public:
  PromptLaunch(std::unique_ptr<StepLatency> model, std::int64_t layers, double layer_s)
      : model_(std::move(model)), layers_(layers), layer_s_(layer_s) {}

  std::int64_t stages() const override { return model_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return model_->chunk_s(tokens, prefix_tokens);
  }
  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model_->stage(work, stage);
    const auto layers = static_cast<double>(stage_layers(layers_, stages(), stage).size());
    const double waits_s = layers * layer_s_ - time.seconds;
    if (work.prefill_tokens == 0 || waits_s <= 0) return time;
    time.seconds += waits_s;
    time.host_s += waits_s;
    return time;
  }
  StepSends sends(const StepWork& work, std::int64_t stage) const override { return model_->sends(work, stage); }

 private:
  std::unique_ptr<StepLatency> model_;
  std::int64_t layers_;
  double layer_s_;
};

}  // namespace

std::unique_ptr<StepLatency> with_prompt_launch(std::unique_ptr<StepLatency> model, std::int64_t layers,
                                                double layer_s) {
  return std::make_unique<PromptLaunch>(std::move(model), layers, layer_s);
}

}  // namespace servecast
