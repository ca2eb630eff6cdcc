#include "models/hw/additions/eager_launch.h"

#include "models/hw/latency/latency_around.h"
#include "models/hw/llm/shape.h"

namespace servecast {
namespace {

class EagerSteps final : public LatencyAround {
 public:
  EagerSteps(std::unique_ptr<StepLatency> model, const EagerLaunch& launch)
      : LatencyAround(std::move(model)), launch_(launch) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    const auto layers = static_cast<double>(stage_layers(launch_.layers, stages(), stage).size());
    const double waits_s = layers * launch_.layer_s - time.seconds;
    const bool in_graph = work.prefill_tokens == 0 && work.decode_sequences <= launch_.graph_sequences;
    if (in_graph || waits_s <= 0) return time;
    time.seconds += waits_s;
    time.host_s += waits_s;
    return time;
  }

 private:
  EagerLaunch launch_;
};

}  // namespace

std::unique_ptr<StepLatency> with_eager_launch(std::unique_ptr<StepLatency> model, const EagerLaunch& launch) {
  return std::make_unique<EagerSteps>(std::move(model), launch);
}

}  // namespace servecast
