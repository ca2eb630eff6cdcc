#include "models/hw/latency/pipeline_stage.h"

#include <cassert>

#include "models/hw/latency/kernel_time.h"
#include "models/hw/llm/data_type.h"

namespace servecast {

LayerKind layer_kind(const Llm& llm, std::int64_t layer) {
  return {.experts = llm.has_experts(layer), .linear_attention = llm.attention(layer) == Attention::linear};
}

double PipelineStage::expert_layers() const {
  double sum = 0;
  for (std::size_t i = 0; i < of_kind.size(); ++i) sum += LayerKind::at(i).experts ? of_kind[i] : 0;
  return sum;
}

StageTime PipelineStage::body(const BodyTimes& times) const {
  StageTime sum;
  for (std::size_t i = 0; i < of_kind.size(); ++i)
    if (of_kind[i] > 0) sum += of_kind[i] * times.layer[i];
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
      ++stage.of_kind[layer_kind(llm, layer).index()];
      ++stage.by_attention[static_cast<std::size_t>(llm.attention(layer))];
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
