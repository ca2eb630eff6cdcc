// Requests between the workload and the engines' queues.
#include <algorithm>

#include "sim/engine/dispatcher.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"

namespace servecast {

// A request passes the client's and the engine's front end before it can be queued. Where pools differ in that, the
// order of arrival at the engines is not that of the workload.
void Dispatcher::send(const Request& request) { gateway_ ? gateway_->accept(request) : send_to_pool(request); }

void Dispatcher::send_to_pool(const Request& request) {
  inbound_.push({request.arrival_s + scenario_.pools[index(request.pool)].engine.inbound_s(), request});
}

/// At a pool, or at the gateway.
double Dispatcher::next_arrival_s() const {
  const double at_pool_s = inbound_.empty() ? Replica::infinity : inbound_.top().due_s;
  return gateway_ ? std::min(at_pool_s, gateway_->next_s()) : at_pool_s;
}

/// Until nothing of the workload can be due before what is under way.
void Dispatcher::read_ahead() {
  while (next_ && next_->arrival_s + least_inbound_s_ <= next_arrival_s()) {
    send(*next_);
    next_ = scenario_.workload->next();
  }
}

/// Requests that were sent before the end but have not reached an engine.
void Dispatcher::abandon_inbound(double end_s) {
  for (auto& [id, copying] : copied_by_flows_) copying_.push(std::move(copying));
  for (; !copying_.empty(); copying_.pop()) {
    recorder_.waiting(copying_.top().request.pool, copying_.top().since_s, end_s);
    abandon(copying_.top().request);
  }
  for (const WaitingRoom::Guest& guest : waiting_room_.take_all()) {
    recorder_.waiting(guest.pool, guest.since_s, end_s);
    if (guest.begun && !gateway_)
      recorder_.request(guest.record_so_far());
    else
      abandon(guest.request);
  }
  for (; !inbound_.empty(); inbound_.pop()) {
    const Request& request = inbound_.top().request;
    if (request.arrival_s > end_s) continue;
    recorder_.arrival(request.pool, request.arrival_s);
    abandon(request);
  }
}

void Dispatcher::abandon(const Request& request) {
  if (gateway_) return;  // it knows what is on its way
  recorder_.request({.id = request.id,
                     .arrival_s = request.arrival_s,
                     .prompt_tokens = request.prompt_tokens,
                     .pool = request.pool,
                     .request_class = request.request_class});
}

}  // namespace servecast
