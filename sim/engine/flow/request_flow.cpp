#include "sim/engine/flow/request_flow.h"

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/failures/failures.h"
#include "sim/engine/flow/arrivals.h"
#include "sim/engine/flow/request_ends.h"
#include "sim/engine/gateway/gateway.h"
#include "sim/engine/scaling/scaling.h"
#include "sim/engine/time/run_clock.h"
#include "sim/engine/transfers/prefix_copies.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"

namespace servecast {

RequestFlow::RequestFlow(const Scenario& scenario, Recorder& recorder, RunClock& clock, Cluster& cluster,
                         Arrivals& arrivals, RequestEnds& ends, PrefixCopies& copies, const FlowParts& parts)
    : scenario_(scenario),
      recorder_(recorder),
      clock_(clock),
      cluster_(cluster),
      arrivals_(arrivals),
      ends_(ends),
      copies_(copies),
      parts_(parts),
      in_flight_(in_flight(scenario)),
      max_retries_(scenario.spec.failures.value_or(FailureSpec{}).max_retries) {}

RequestFlow::InFlight RequestFlow::in_flight(const Scenario& scenario) {
  const std::string text = scenario.spec.failures ? scenario.spec.failures->in_flight : FailureSpec{}.in_flight;
  if (text == "lost") return InFlight::lost;
  return text == "retry" ? InFlight::retry : InFlight::recompute;
}

bool RequestFlow::any_left() {
  arrivals_.read_ahead();
  const bool at_gateway = parts_.gateway && !parts_.gateway->idle();
  return ends_.in_pools() > 0 || arrivals_.any_left() || at_gateway || clock_.has_end();
}

void RequestFlow::ask_gateway(double now_s) {
  if (!parts_.gateway) return;
  for (arrivals_.read_ahead(); parts_.gateway->next_s() <= now_s; arrivals_.read_ahead()) {
    parts_.gateway->act_due(now_s);
    clock_.poll();
  }
}

void RequestFlow::take_arrivals(double now_s) {
  for (;;) {
    arrivals_.read_ahead();
    const std::optional<Request> request = arrivals_.take_due(now_s, cluster_);
    if (!request) return;
    arrive(*request, now_s);
    clock_.count_event();
    clock_.poll();
  }
}

/// Its prompt may have waited for a tokeniser, or still does.
void RequestFlow::record_arrival(const Request& request, double until_s) {
  recorder_.arrival(request.pool, request.arrival_s);
  const Pool& pool = scenario_.pools[index(request.pool)];
  const double no_wait_s = request.arrival_s + pool.inbound_s(request.prompt_tokens);
  if (pool.prompts_wait_for_tokenizers() && until_s > no_wait_s) recorder_.waiting(request.pool, no_wait_s, until_s);
}

void RequestFlow::arrive(const Request& request, double now_s) {
  if (!parts_.gateway) clock_.request_came();
  ends_.began();
  clock_.gets_on();
  record_arrival(request, now_s);
  clock_.lasts_until(now_s);
  if (request.give_up_s <= now_s) return ends_.turn_away(request, RequestStatus::timed_out);
  if (parts_.scaling) parts_.scaling->arrived(request);
  enter_pool(request, now_s);
  if (!parts_.scaling) return;
  for (const auto& [at, copy] : parts_.scaling->copies_of(request)) {
    ends_.began();
    deliver_to(at, copy, Serve::whole, 0, now_s);
  }
}

void RequestFlow::enter_pool(const Request& request, double now_s) {
  if (!cluster_.anyone_serves(index(request.pool)))
    return wait({.pool = request.pool, .request = request, .since_s = now_s});
  PoolRouting& routing = cluster_.pools()[index(request.pool)].routing(now_s);
  const std::optional<std::size_t> decode_pool = scenario_.pools[index(request.pool)].decode_pool;
  const bool looks = decode_pool && routing.admission_reads_state();
  const PoolRouting* decoding = looks ? &cluster_.pools()[*decode_pool].routing(now_s) : nullptr;
  if (!routing.admits(request, decoding)) return ends_.turn_away(request, RequestStatus::shed);
  enter_replica(request, now_s);
}

// The pool's admission has let it in.
void RequestFlow::enter_replica(const Request& request, double now_s) {
  if (!cluster_.anyone_serves(index(request.pool)))
    return wait({.pool = request.pool, .request = request, .since_s = now_s});
  std::optional<HandOvers::Start> start;
  if (parts_.hand_overs && !(start = parts_.hand_overs->begin(request, now_s)))
    return ends_.turn_away(request, RequestStatus::rejected);
  const Request& as_served = start ? start->request : request;
  auto to = start && start->to ? Destination{.replica = start->to->replica}
                               : cluster_.pools()[index(request.pool)].routing(now_s).pick(as_served);
  if (!to) return ends_.turn_away(request, RequestStatus::shed);
  if (parts_.gateway) fetch_kv_for(request, *to);
  const Serve serve = start ? start->serve : Serve::whole;
  if (to->copy_tokens > 0)
    copies_.start({.request = as_served, .serve = serve, .to = *to}, now_s);
  else
    deliver(as_served, serve, *to, now_s);
}

/// KV that a pass is to find where it goes comes from where the pass before was computed.
void RequestFlow::fetch_kv_for(const Request& call, Destination& to) const {
  const auto source = parts_.gateway->kv_for(call.id);
  if (!source || to.copy_tokens >= source->tokens) return;
  if (source->from == ReplicaAt{index(call.pool), to.replica}) return;  // it is there
  if (!cluster_.lifecycle().serves(source->from)) return;
  to.copy_tokens = source->tokens;
  to.copy_from = source->from.replica;
  to.copy_pool = source->from.pool;
  to.copy_s = 0;
}

void RequestFlow::deliver_copied(double now_s) {
  while (const std::optional<PrefixCopy> due = copies_.take_due(now_s)) {
    recorder_.waiting(due->request.pool, due->since_s, due->due_s);
    if (due->request.give_up_s <= now_s)
      ends_.turn_away(due->request, RequestStatus::timed_out);
    else
      deliver(due->request, due->serve, due->to, now_s);
  }
}

void RequestFlow::deliver(const Request& request, Serve serve, const Destination& to, double now_s) {
  const ReplicaAt at{index(request.pool), to.replica};
  if (!cluster_.lifecycle().serves(at)) return enter_pool(request, now_s);  // it failed while the prefix was copied
  deliver_to(at, request, serve, to.copy_tokens, now_s);
  if (serve != Serve::whole) parts_.hand_overs->begun(request.id, at);
}

void RequestFlow::deliver_to(const ReplicaAt& at, const Request& request, Serve serve, std::int64_t copied_tokens,
                             double now_s) {
  cluster_.pools()[at.pool].deliver(at.replica, request, serve, copied_tokens, now_s);
  cluster_.touch(at);
}

void RequestFlow::serves(const ReplicaAt& at, double now_s) {
  for (const PendingQueue::PendingRequest& waiting : pending_.take(PoolId(at.pool))) {
    recorder_.waiting(waiting.pool, waiting.since_s, now_s);
    if (waiting.has_kv)
      parts_.hand_overs->go_on(waiting.request.id);
    else
      waiting.begun ? resume(*waiting.begun, now_s) : enter_pool(waiting.request, now_s);
  }
}

void RequestFlow::stopped(const ReplicaAt&, std::vector<MovingSequence>& interrupted, double) {
  for (const MovingSequence& s : interrupted) pending_.forget_kv_of(s.request.id);
}

void RequestFlow::go_on_elsewhere(double now_s) {
  for (MovingSequence& interrupted : cluster_.take_interrupted()) go_on(std::move(interrupted), now_s);
}

void RequestFlow::go_on(MovingSequence interrupted, double now_s) {
  FailureTotals& totals = parts_.failures->totals(index(interrupted.request.pool));
  totals.lost_tokens += interrupted.tokens;
  if (in_flight_ == InFlight::lost || interrupted.request.retries++ >= max_retries_) {
    ++totals.lost;
    interrupted.record.status = RequestStatus::lost;
    interrupted.record.output_tokens = interrupted.made;
    return ends_.done(interrupted.request, interrupted.record);
  }
  if (in_flight_ == InFlight::retry) {
    ++totals.retried;
    totals.reprefill_tokens += std::min(interrupted.tokens, interrupted.request.prompt_tokens);
    return enter_pool(interrupted.request, now_s);
  }
  ++totals.resumed;
  totals.reprefill_tokens += interrupted.tokens;
  interrupted.made > 0 ? resume(interrupted, now_s) : enter_replica(interrupted.request, now_s);
}

// The pool has taken the request on: its admission is not asked again. What it has got is computed where it decodes.
void RequestFlow::resume(const MovingSequence& begun, double now_s) {
  HandOvers* hand_overs = parts_.hand_overs;
  const std::size_t pool = hand_overs ? hand_overs->decode_pool(begun.request) : index(begun.request.pool);
  if (!cluster_.anyone_serves(pool))
    return wait({.pool = PoolId(pool), .request = begun.request, .begun = begun, .since_s = now_s});
  const auto to = hand_overs ? hand_overs->decoder(begun.request, now_s) : route(pool, begun.request, now_s);
  to ? compute_again(*to, begun, now_s) : ends_.turn_away(begun.request, RequestStatus::shed);
}

void RequestFlow::compute_again(const ReplicaAt& at, const MovingSequence& sequence, double now_s) {
  cluster_.pools()[at.pool].change(at.replica, now_s, [&](Replica& replica) { replica.resume(sequence, now_s); });
  cluster_.touch(at);
}

// What it would have copied first is left out: that of a pool that decodes for another copies nothing, see
// check_placements(), and a request that goes on elsewhere is not held up by it.
std::optional<ReplicaAt> RequestFlow::route(std::size_t pool, const Request& request, double now_s) {
  const auto to = cluster_.pools()[pool].routing(now_s).pick(request);
  return to ? std::optional(ReplicaAt{pool, to->replica}) : std::nullopt;
}

bool RequestFlow::admits_decode(const Request& request, std::size_t decode_pool, double now_s) {
  PoolRouting& routing = cluster_.pools()[index(request.pool)].routing();
  if (!routing.admission_reads_state()) return true;
  if (routing.admits_decode(request, cluster_.pools()[decode_pool].routing(now_s))) return true;
  ends_.turn_away(request, RequestStatus::shed);
  return false;
}

void RequestFlow::wait_for(std::size_t pool, const MovingSequence& sequence, double now_s) {
  wait({.pool = PoolId(pool), .request = sequence.request, .begun = sequence, .has_kv = true, .since_s = now_s});
}

// A client may have stopped waiting while a prefix was copied for it.
void RequestFlow::wait(const PendingQueue::PendingRequest& waiting) {
  cluster_.lifecycle().demand(index(waiting.pool), clock_.now_s());
  waiting.request.give_up_s > waiting.since_s ? pending_.enter(waiting) : give_up(waiting);
}

void RequestFlow::give_up(const PendingQueue::PendingRequest& waiting) {
  clock_.lasts_until(clock_.now_s());
  if (!waiting.begun) return ends_.turn_away(waiting.request, RequestStatus::timed_out);
  RequestRecord record = waiting.record_so_far();
  record.status = RequestStatus::timed_out;
  ends_.done(waiting.request, record);
}

void RequestFlow::give_up_pending(double now_s) {
  for (const PendingQueue::PendingRequest& waiting : pending_.take_given_up(now_s)) {
    recorder_.waiting(waiting.pool, waiting.since_s, now_s);
    give_up(waiting);
  }
}

void RequestFlow::abandon(double end_s) {
  copies_.cut_short();
  while (const std::optional<PrefixCopy> copy = copies_.take_due(Replica::infinity)) {
    recorder_.waiting(copy->request.pool, copy->since_s, end_s);
    ends_.abandon(copy->request);
  }
  for (const PendingQueue::PendingRequest& waiting : pending_.take_all()) {
    recorder_.waiting(waiting.pool, waiting.since_s, end_s);
    if (waiting.begun && !parts_.gateway)
      recorder_.request(waiting.record_so_far());
    else
      ends_.abandon(waiting.request);
  }
  while (const std::optional<Request> request = arrivals_.take_due(Replica::infinity, cluster_)) {
    if (request->arrival_s > end_s) continue;
    record_arrival(*request, end_s);
    ends_.abandon(*request);
  }
}

}  // namespace servecast
