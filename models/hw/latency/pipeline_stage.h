#pragma once
#include <array>
#include <cstdint>
#include <numeric>
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

/// What the products of a layer follow from.
struct LayerKind {
  bool experts = false;           // in place of a dense MLP
  bool linear_attention = false;  // in place of keys and values

  static constexpr std::size_t count = 4;
  static constexpr LayerKind at(std::size_t i) { return {.experts = i % 2 == 1, .linear_attention = i / 2 == 1}; }
  constexpr std::size_t index() const { return (experts ? 1 : 0) + (linear_attention ? 2 : 0); }
};
LayerKind layer_kind(const Llm& llm, std::int64_t layer);

/// What every step spends on so many tokens, attention apart.
struct BodyTimes {
  std::array<StageTime, LayerKind::count> layer{};  // one, by its kind
  StageTime all_reduce{};  // of the embeddings, which are split by vocabulary
  double hand_over_s = 0;  // to the next stage
};

/// The layers of one pipeline stage, counted by kind.
struct PipelineStage {
  std::array<double, LayerKind::count> of_kind{};
  std::array<double, attention_kinds> by_attention{};
  bool first = false;
  bool last = false;
  std::vector<StageTime> by_tokens{};  // body(), for every number of tokens up to a step's most

  double layers() const { return std::accumulate(of_kind.begin(), of_kind.end(), 0.0); }
  double expert_layers() const;
  double attending(Attention how) const { return by_attention[static_cast<std::size_t>(how)]; }
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
