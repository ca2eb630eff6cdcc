#pragma once
#include <fmt/format.h>

#include <string>

#include "models/hw/latency/step_latency.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/in_child.h"

namespace servecast {

/// Every step takes 1/32 s.
class ConstantLatency final : public StepLatency {
 public:
  explicit ConstantLatency(std::int64_t stages) : stages_(stages) {}
  std::int64_t stages() const override { return stages_; }
  StageTime stage(const StepWork&, std::int64_t) const override {
    return {.seconds = 1.0 / 32 / static_cast<double>(stages_)};
  }

 private:
  std::int64_t stages_;
};

inline std::string bits(std::optional<double> value) { return value ? fmt::format("{:a}", *value) : "-"; }

/// Everything that a run says, every bit of it.
inline std::string told(const Recorder& recorder, const RunFacts& facts) {
  std::string text = to_json(summarise(recorder, facts));
  for (const RequestRecord& r : recorder.requests())
    text += fmt::format("{} {} {} {} {} {} {} {} {} {} {} {}\n", index(r.id), bits(r.arrival_s), bits(r.scheduled_s),
                        bits(r.first_token_s), bits(r.finish_s), r.output_tokens, r.cached_tokens, index(r.replica),
                        r.decode_replica ? static_cast<int>(index(*r.decode_replica)) : -1, bits(r.hand_over_s),
                        r.preemptions, static_cast<int>(r.status));
  return text;
}

}  // namespace servecast
