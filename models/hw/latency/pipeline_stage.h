#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/llm/shape.h"

namespace servecast {

/// The path from one pipeline stage to the next.
struct StageLink {
  double bytes_per_s = 0;
  double latency_s = 0;
};

/// What every step spends on so many tokens, attention apart.
struct BodyTimes {
  StageTime dense{};  // one layer
  StageTime expert{};
  StageTime all_reduce{};  // of the embeddings, which are split by vocabulary
  double hand_over_s = 0;  // to the next stage
};

/// The layers of one pipeline stage, counted by kind.
struct PipelineStage {
  double dense_layers = 0;
  double expert_layers = 0;
  double full_layers = 0;  // by attention: these and the windowed ones
  double windowed_layers = 0;
  bool first = false;
  bool last = false;
  std::vector<StageTime> by_tokens{};  // body(), for every number of tokens up to a step's most

  double layers() const { return dense_layers + expert_layers; }
  /// Everything but attention and LM head.
  StageTime body(const BodyTimes& times) const;
};

std::vector<PipelineStage> pipeline_stages(const Llm& llm, const Shape& shape);

/// Sending hidden state and residual to the next stage, in bf16, each GPU its share of the group.
class HandOver {
 public:
  HandOver(const Llm& llm, const Shape& shape, const StageLink& link);
  /// 0 where there is no next stage.
  double seconds(std::int64_t tokens) const;

 private:
  StageLink link_;
  double bytes_per_token_;
};

}  // namespace servecast
