#include "models/hw/latency/pipeline_stage.h"

#include <cassert>

#include "models/hw/latency/kernel_time.h"
#include "models/hw/llm/data_type.h"

namespace servecast {

StageTime PipelineStage::body(const BodyTimes& times) const {
  StageTime sum;
  if (dense_layers > 0) sum += dense_layers * times.dense;
  if (expert_layers > 0) sum += expert_layers * times.expert;
  if (first) sum += times.all_reduce;
  if (!last) sum.seconds += times.hand_over_s;
  return sum;
}

std::vector<PipelineStage> pipeline_stages(const Llm& llm, const Shape& shape) {
  std::vector<PipelineStage> stages;
  for (std::int64_t i = 0; i < shape.pipeline_parallel; ++i) {
    const LayerRange range = stage_layers(llm.layers, shape.pipeline_parallel, i);
    PipelineStage stage{.first = i == 0, .last = i == shape.pipeline_parallel - 1};
    for (std::int64_t layer = range.first; layer < range.last; ++layer) {
      ++(llm.has_experts(layer) ? stage.expert_layers : stage.dense_layers);
      ++(llm.windowed(layer) ? stage.windowed_layers : stage.full_layers);
    }
    stages.push_back(stage);
  }
  return stages;
}

HandOver::HandOver(const Llm& llm, const Shape& shape, const StageLink& link)
    : link_(link),
      bytes_per_token_(2 * static_cast<double>(llm.hidden) * facts(DataType::bf16).bytes /
                       static_cast<double>(shape.tensor_parallel)) {
  assert(shape.pipeline_parallel == 1 || link.bytes_per_s > 0);
}

double HandOver::seconds(std::int64_t tokens) const {
  if (link_.bytes_per_s == 0) return 0;
  return link_.latency_s + static_cast<double>(tokens) * bytes_per_token_ / link_.bytes_per_s;
}

}  // namespace servecast
