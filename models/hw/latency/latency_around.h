#pragma once
#include <memory>
#include <utility>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// A step latency that changes the times of another one, and is like it in all else.
class LatencyAround : public StepLatency {
 public:
  std::int64_t stages() const override { return model_->stages(); }
  double chunk_s(std::int64_t tokens, std::int64_t prefix_tokens) const override {
    return model_->chunk_s(tokens, prefix_tokens);
  }
  StepSends sends(const StepWork& work, std::int64_t stage) const override { return model_->sends(work, stage); }

 protected:
  explicit LatencyAround(std::unique_ptr<StepLatency> model) : model_(std::move(model)) {}
  const StepLatency& model() const { return *model_; }

 private:
  std::unique_ptr<StepLatency> model_;
};

}  // namespace servecast
