#include "sim/engine/flow/run_listener.h"

#include "sim/engine/flow/request_ends.h"
#include "sim/engine/time/run_clock.h"
#include "sim/engine/time/run_options.h"
#include "sim/engine/transfers/hand_overs.h"
#include "sim/report/record/recorder.h"

namespace servecast {

RunListener::RunListener(Recorder& recorder, RunClock& clock, RequestEnds& ends, const FlowParts& parts,
                         DetailListener* detail)
    : recorder_(recorder),
      clock_(clock),
      ends_(ends),
      parts_(parts),
      detail_(detail),
      samples_(detail && detail->wants_replicas()) {}

void RunListener::request_done(const Request& request, const RequestRecord& record) { ends_.done(request, record); }
void RunListener::request_waited(PoolId pool, double from_s, double to_s) { recorder_.waiting(pool, from_s, to_s); }
void RunListener::request_ran(PoolId pool, double from_s, double to_s) { recorder_.running(pool, from_s, to_s); }
void RunListener::token_gap(PoolId pool, double gap_s, std::int64_t count) {
  recorder_.token_gap(pool, gap_s, count);
}

bool RunListener::wants_members(double start_s) const { return detail_ && detail_->wants_step(start_s); }

void RunListener::step_done(const StepRecord& step, std::span<const StepMember> members) {
  clock_.poll();
  clock_.gets_on();
  recorder_.step(step);
  clock_.step_lasts_until(step.end_s);
  if (samples_) sampler_.step(step);
  if (wants_members(step.start_s)) detail_->step(step, members);
}

void RunListener::prompt_done(ReplicaId, Ticket place, const MovingSequence& sequence) {
  parts_.hand_overs->prompt_done(place, sequence, clock_.now_s());
}
void RunListener::chunk_launched(const PromptChunk& chunk) { parts_.hand_overs->chunk_launched(chunk); }
void RunListener::prompt_restarts(RequestId id) { parts_.hand_overs->prompt_restarts(id, clock_.now_s()); }
void RunListener::import_has_room(RequestId id, Ticket place, std::int64_t cached_tokens) {
  parts_.hand_overs->import_has_room(id, place, cached_tokens);
}

}  // namespace servecast
