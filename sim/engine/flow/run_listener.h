#pragma once
#include <span>

#include "sim/engine/facts/replica_sampler.h"
#include "sim/engine/flow/flow_parts.h"
#include "sim/serving/sequences/listener.h"

namespace servecast {

class Recorder;
class RequestEnds;
class RunClock;

/// Hands what replicas report to the parts that it concerns: the records, the ends of requests, hand-overs.
class RunListener final : public ReplicaListener {
 public:
  RunListener(Recorder& recorder, RunClock& clock, RequestEnds& ends, const FlowParts& parts, DetailListener* detail);

  /// Null unless the detail listener wants replicas every second.
  ReplicaSampler* sampler() { return samples_ ? &sampler_ : nullptr; }

  void request_done(const Request& request, const RequestRecord& record) override;
  void request_waited(PoolId pool, double from_s, double to_s) override;
  void request_ran(PoolId pool, double from_s, double to_s) override;
  void token_gap(PoolId pool, double gap_s, std::int64_t count) override;
  void step_done(const StepRecord& step, std::span<const StepMember> members) override;
  void prompt_done(ReplicaId replica, Ticket place, const MovingSequence& sequence) override;
  void chunk_launched(const PromptChunk& chunk) override;
  void prompt_restarts(RequestId id) override;
  void import_has_room(RequestId id, Ticket place, std::int64_t cached_tokens) override;
  bool wants_members(double start_s) const override;

 private:
  Recorder& recorder_;
  RunClock& clock_;
  RequestEnds& ends_;
  const FlowParts& parts_;
  DetailListener* detail_;
  bool samples_;
  ReplicaSampler sampler_{};
};

}  // namespace servecast
