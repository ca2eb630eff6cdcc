#pragma once
#include <cstdint>
#include <span>

#include "models/base/record.h"
#include "models/policy/queue.h"
#include "models/policy/request.h"

namespace servecast {

/// Output tokens of a sequence that has left its batch, made by steps that had begun by then: where its replica stops
/// or its client gives up before these have ended, it has not got them.
struct TokensUnderWay {
  std::int64_t count = 0;
  double until_s = 0;  // infinite where it was not known then
};

/// A sequence that goes on on another replica: what it has got so far. Its KV travels by itself.
struct MovingSequence {
  Request request{};
  RequestRecord record{};
  std::int64_t tokens = 0;     // that its KV holds
  std::int64_t made = 0;       // output tokens
  TokensUnderWay under_way{};  // of these
  std::int64_t checks = 0;     // steps that checked drafts of it
  double last_token_s = 0;     // when its client got the last of them
};

/// A chunk of a prompt whose KV leaves while it is computed.
struct PromptChunk {
  RequestId request{};
  std::int64_t tokens = 0;           // in the chunk
  std::int64_t computed_tokens = 0;  // of its prompt, with this chunk; cached ones included
  double start_s = 0;                // of the step that computes it
  double end_s = 0;
};

/// What a replica reports as it goes. Calls come in the order of the replica's own clock.
class ReplicaListener {
 public:
  virtual ~ReplicaListener() = default;

  virtual void request_done(const Request& request, const RequestRecord& record) = 0;
  virtual void request_waited(PoolId pool, double from_s, double to_s) = 0;
  virtual void request_ran(PoolId pool, double from_s, double to_s) = 0;
  /// `count` sequences each got a token `gap_s` after the one before.
  virtual void token_gap(PoolId pool, double gap_s, std::int64_t count) = 0;
  /// `members` is empty unless wants_members().
  virtual void step_done(const StepRecord& step, std::span<const StepMember> members) = 0;
  /// A prompt that another replica was to go on with is computed; `at` is its place here until release_exported().
  virtual void prompt_done(ReplicaId, Ticket /*at*/, const MovingSequence&) {}
  /// A step that computes a chunk of such a prompt is decided on, where it is streamed.
  virtual void chunk_launched(const PromptChunk&) {}
  /// Such a prompt was preempted and will be computed again from the start.
  virtual void prompt_restarts(RequestId) {}
  /// A sequence from another replica has its blocks here; the first `cached_tokens` of its KV are here already.
  virtual void import_has_room(RequestId, Ticket /*at*/, std::int64_t /*cached_tokens*/) {}
  /// Asked at the start of every step: listing the members costs time in proportion to the batch.
  virtual bool wants_members(double start_s) const = 0;
};

}  // namespace servecast
