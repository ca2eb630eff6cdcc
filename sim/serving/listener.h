#pragma once
#include <cstdint>
#include <span>

#include "models/base/record.h"
#include "models/policy/request.h"

namespace servecast {

/// What a replica tells as it goes. Calls come in the order of the replica's own clock.
class ReplicaListener {
 public:
  virtual ~ReplicaListener() = default;

  virtual void request_done(const Request& request, const RequestRecord& record) = 0;
  virtual void request_waited(PoolId pool, double from_s, double to_s) = 0;
  virtual void request_ran(PoolId pool, double from_s, double to_s) = 0;
  /// `count` sequences each got a token `gap_s` after the one before.
  virtual void token_gap(PoolId pool, double gap_s, std::int64_t count) = 0;
  /// `who` is empty unless wants_members().
  virtual void step_done(const StepRecord& step, std::span<const StepMember> who) = 0;
  /// Asked at the start of every step: listing who takes part costs time in proportion to the batch.
  virtual bool wants_members(double start_s) const = 0;
};

}  // namespace servecast
