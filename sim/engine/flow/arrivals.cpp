#include "sim/engine/flow/arrivals.h"

#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/gateway/gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

double least_inbound_s(const Scenario& scenario) {
  double least_s = scenario.spec.gateway.empty() ? Replica::infinity : 0;
  for (const Pool& pool : scenario.pools) least_s = std::min(least_s, pool.inbound_s(0));
  return least_s;
}

}  // namespace

Arrivals::Arrivals(Scenario& scenario, const FlowParts& parts)
    : scenario_(scenario),
      parts_(parts),
      least_inbound_s_(least_inbound_s(scenario)),
      tokenizers_(scenario.pools.size()),
      next_(scenario.workload->next()) {}

void Arrivals::send(const Request& request) {
  parts_.gateway ? parts_.gateway->accept(request) : send_to_pool(request);
}

void Arrivals::send_to_pool(const Request& request) {
  const Pool& pool = scenario_.pools[index(request.pool)];
  const double due_s = request.arrival_s + pool.inbound_s(request.prompt_tokens);
  if (pool.prompts_wait_for_tokenizers())
    tokenizers_.add({request.arrival_s + pool.inbound_s(0), due_s, request});
  else
    inbound_.push({due_s, request});
}

double Arrivals::next_s() const {
  return std::min(inbound_.empty() ? Replica::infinity : inbound_.top().due_s, tokenizers_.next_s());
}

double Arrivals::next_anywhere_s() const {
  return parts_.gateway ? std::min(next_s(), parts_.gateway->next_s()) : next_s();
}

void Arrivals::read_ahead() {
  while (next_ && next_->arrival_s + least_inbound_s_ <= next_anywhere_s()) {
    send(*next_);
    next_ = scenario_.workload->next();
  }
}

void Arrivals::ask_again() {
  if (!next_) next_ = scenario_.workload->next();
  while (next_) {
    const std::optional<Request> sooner = scenario_.workload->next_before(next_->arrival_s);
    if (!sooner) return;
    send(*sooner);
  }
}

std::optional<Request> Arrivals::take_due(double now_s, const Cluster& cluster) {
  const auto workers = [&](PoolId pool) {
    return static_cast<std::size_t>(scenario_.pools[index(pool)].spec.tokenizer_workers) *
           cluster.pools()[index(pool)].routing().replicas_shown();
  };
  tokenizers_.take(now_s, workers, [&](double due_s, const Request& r) { inbound_.push({due_s, r}); });
  if (inbound_.empty() || inbound_.top().due_s > now_s) return std::nullopt;
  const Request request = inbound_.top().request;
  inbound_.pop();
  return request;
}

}  // namespace servecast
