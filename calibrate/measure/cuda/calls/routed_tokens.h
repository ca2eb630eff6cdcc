#pragma once
#include "calibrate/measure/cuda/device/buffers.h"
#include "calibrate/measure/expert_visits.h"
#include "kernels/moe/moe.h"

namespace servecast {

/// Tokens whose gate chooses experts with given loads, and room for what the gate finds.
class RoutedTokens {
 public:
  RoutedTokens(const ExpertVisits& visits, const std::vector<std::int64_t>& loads, Rng& rng)
      : logits_(copy_of(std::span<const float>(gate_logits(visits, loads, rng)))),
        chosen_(4 * visits.tokens * visits.top_k),
        weights_(chosen_.bytes()),
        expert_rows_(4 * (visits.experts + 1)),
        row_of_(chosen_.bytes()),
        routing_{.logits = static_cast<const float*>(logits_.data()),
                 .chosen = static_cast<std::int32_t*>(chosen_.data()),
                 .weights = static_cast<float*>(weights_.data()),
                 .expert_rows = static_cast<std::int32_t*>(expert_rows_.data()),
                 .row_of = static_cast<std::int32_t*>(row_of_.data()),
                 .tokens = static_cast<int>(visits.tokens),
                 .experts = static_cast<int>(visits.experts),
                 .top_k = static_cast<int>(visits.top_k)} {}

  const Routing& routing() const { return routing_; }
  void start(Stream stream) const {
    gate_experts(routing_, stream);
    order_by_expert(routing_, stream);
  }
  std::int64_t bytes() const { return logits_.bytes() + 3 * chosen_.bytes(); }

 private:
  DeviceBuffer logits_;
  DeviceBuffer chosen_;
  DeviceBuffer weights_;
  DeviceBuffer expert_rows_;
  DeviceBuffer row_of_;
  Routing routing_;
};

}  // namespace servecast
