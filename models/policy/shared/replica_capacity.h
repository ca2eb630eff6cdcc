#pragma once
#include <optional>

#include "models/policy/autoscaler.h"
#include "models/policy/pool_probe.h"

namespace servecast {

/// What bounds one replica, beside the time of its steps.
struct CapacityBounds {
  std::int64_t stages = 1;         // of its pipeline
  std::int64_t max_sequences = 1;  // that run at a time
  std::int64_t kv_tokens = 1;      // that its memory holds
  bool computes_prompts = true;
  bool decodes = true;
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
};

/// Little's law over the model's steps. With n sequences decoding in each stage's turn, of which a step takes d(n)
/// per stage, and prompts that add q(n) to it per stage, a replica that takes on x requests/s spends x q of its time
/// on prompts, so
///   TPOT = stages d(n) / (1 - x q)    and    x (outputs - 1) TPOT = stages n,
///   hence x = n / ((outputs - 1) d(n) + n q).
/// n is the largest that memory, the batcher and the bound on TPOT allow. Prompts wait for each other as in M/D/1
/// (Pollaczek-Khinchine): x q may be at most u / (1 + u) with u = 2 (bound on TTFT - prompt time) / q, and never more
/// than 0.95. Where not even a lone request keeps the bounds, what a replica bears with one at a time.
class SteadyCapacity final : public ReplicaCapacity {
 public:
  SteadyCapacity(const PoolProbe& steps, const CapacityBounds& bounds) : steps_(steps), bounds_(bounds) {}
  double requests_per_s(double prompt_tokens, double output_tokens) const override;

 private:
  struct Point {
    double requests_per_s = 0;
    double tpot_s = 0;
    double prompt_s = 0;  // that a prompt adds, per stage
  };
  Point at(std::int64_t sequences, double prompt_tokens, double output_tokens) const;
  bool keeps_bounds(const Point& point) const;
  double most_prompt_share(double prompt_s) const;

  const PoolProbe& steps_;
  CapacityBounds bounds_;
};

}  // namespace servecast
