// Where a gateway stands in front of the pools.
#include <algorithm>

#include "sim/engine/dispatcher.h"
#include "sim/report/recorder.h"

namespace servecast {

void Dispatcher::open_gateway() {
  gateway_.emplace(scenario_, static_cast<Gateway::Exits&>(*this), options_.detail);
  recorder_.set_gateway(gateway_->facts().targets.size());
  least_inbound_s_ = 0;  // requests come to the gateway first
}

void Dispatcher::answered(const Request& as_it_came, const RequestRecord& record, const GatewayRecord& gateway,
                          double now_s) {
  GatewayRecord seen = gateway;
  seen.completed = seen.completed && record.finish_s.value_or(now_s) <= until_s_;
  ++arrived_;
  lasts_until(now_s);
  finish(record);
  recorder_.gateway(seen);
  follow_up(as_it_came, record, now_s);
}

/// KV that a pass is to find where it goes comes from where the pass before was computed.
void Dispatcher::fetch_kv_for(const Request& pass, Destination& to) const {
  const auto source = gateway_->kv_for(pass.id);
  if (!source || to.copy_tokens >= source->tokens) return;
  if (source->from == ReplicaAt{index(pass.pool), to.replica}) return;  // it is there
  if (!serves(source->from)) return;
  to.copy_tokens = source->tokens;
  to.copy_from = source->from.replica;
  to.copy_pool = source->from.pool;
  to.copy_s = 0;
}

}  // namespace servecast
