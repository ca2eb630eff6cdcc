// LLM calls of the gateway: to pools, and to outside APIs.
#include <algorithm>

#include "models/base/mixed_bits.h"
#include "sim/engine/gateway/gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

void Gateway::start_call(RequestContext& context, double now_s) {
  shape_call(context);
  note_dispatch(context, context.outgoing.target, context.outgoing.request.prompt_tokens, now_s);
  context.calling = true;
  context.sent_s = now_s;
  context.call_usd = 0;
  ++context.record.llm_calls;
  Target& target = targets_[index(context.outgoing.target)];
  ++target.facts.llm_calls;
  if (context.next && context.next->late_s < forever)
    events_.push({context.next->late_s, context.original.id, EventKind::late, context.record.llm_calls});
  if (target.api) {
    context.attempt = 0;
    return ask_api(context, now_s);
  }
  context.call_id = context.main_sent ? RequestId{next_call_++} : context.original.id;
  context.main_sent = true;
  if (context.call_id != context.original.id) calls_.emplace(context.call_id, Owner{context.original.id});
  context.in_pool = true;
  ++context.turn;  // nothing is due before it comes back
  callbacks_.send_call(call_request(context, now_s));
}

/// Prompt, output and target as the stage that asked for another LLM call wants them.
void Gateway::shape_call(RequestContext& context) {
  if (context.next) {
    if (!context.next->goes_on) context.blocks.clear();
    if (context.next->forget_prefix) {
      context.outgoing.request.prefix_blocks = context.outgoing.request.said_blocks = {};
      context.outgoing.request.block_tokens = 0;
    }
    context.outgoing.target = context.next->target;
    context.outgoing.request.prompt_tokens = context.next->prompt_tokens;
    context.outgoing.request.output_tokens = context.next->output_tokens;
    context.outgoing.score = context.next->score;
    if (context.holder == context.asked_by && !context.next->held) context.holder = RequestContext::no_stage;
    context.outgoing.held = context.next->held || context.holder < context.asked_by;
  }
  if (goes_on_) extend_blocks(context);
}

/// Names for the blocks of prompt and output that have none, so that a later LLM call finds them again.
void Gateway::extend_blocks(RequestContext& context) const {
  constexpr std::int32_t usual_block_tokens = 16;
  Request& r = context.outgoing.request;
  if (r.block_tokens == 0) r.block_tokens = usual_block_tokens;
  const auto whole = [&](std::int64_t tokens) { return static_cast<std::size_t>(tokens / r.block_tokens); };
  const std::size_t prompt = whole(r.prompt_tokens);
  const std::size_t all = whole(r.prompt_tokens + r.output_tokens);
  if (context.blocks.empty()) {
    const std::size_t known =
        r.said_blocks.empty() ? std::min(prompt, r.prefix_blocks.size()) : std::min(all, r.said_blocks.size());
    const auto said = r.said().first(known);
    context.blocks.assign(said.begin(), said.end());
  }
  const std::uint64_t request =
      static_cast<std::uint64_t>(index(r.id)) << 32 | std::uint64_t{context.record.llm_calls} << 24;
  while (context.blocks.size() < all)
    context.blocks.push_back(mixed_bits(request + context.blocks.size()) | std::uint64_t{1} << 63);
  r.said_blocks = std::span(context.blocks).first(all);
  r.prefix_blocks = r.said_blocks.first(prompt);
}

Request Gateway::call_request(const RequestContext& context, double now_s) const {
  Request call = context.outgoing.request;
  call.id = context.call_id;
  call.arrival_s = now_s;
  call.pool = static_cast<PoolId>(index(context.outgoing.target));
  call.awaited = call.awaited || watches_;
  if (context.next && !context.next->finish_late) call.give_up_s = std::min(call.give_up_s, context.next->late_s);
  return call;
}

void Gateway::ask_api(RequestContext& context, double now_s) {
  Target& target = targets_[index(context.outgoing.target)];
  const ApiReply reply = target.api->ask(context.outgoing.request, context.attempt++, now_s, target.rng);
  if (reply.kind == ApiReply::Kind::try_again) return push(context, EventKind::ask_api, reply.retry_s);
  context.call_record = api_record(context, reply, context.outgoing.request.output_tokens, context.sent_s);
  if (reply.kind == ApiReply::Kind::turned_away) return push(context, EventKind::call_end, now_s);
  context.call_usd = reply.usd;
  pay(context, target, reply.usd);
  push(context, EventKind::call_end, reply.finish_s);
}

RequestRecord Gateway::api_record(const RequestContext& context, const ApiReply& reply, std::int64_t output_tokens,
                                  double sent_s) const {
  RequestRecord r{.id = context.original.id,
                  .arrival_s = sent_s,
                  .pool = context.original.pool,
                  .status = RequestStatus::shed,
                  .off_pools = true};
  if (reply.kind == ApiReply::Kind::turned_away) return r;
  r.status = RequestStatus::completed;
  r.first_token_s = reply.first_token_s;
  r.finish_s = reply.finish_s;
  r.output_tokens = output_tokens;
  return r;
}

void Gateway::pay(RequestContext& context, Target& target, double usd) const {
  context.record.usd += usd;
  target.facts.usd += usd;
}

/// The gateway is through with what it does before it calls a model.
void Gateway::note_dispatch(RequestContext& context, TargetId target, std::int64_t prompt_tokens,
                            double now_s) const {
  if (context.record.dispatch_s) return;
  const bool to_pool = !targets_[index(target)].api;
  const double on_the_way_s = to_pool ? scenario_.pools[index(target)].inbound_s(prompt_tokens) : 0;
  context.record.dispatch_s = now_s - context.dispatched_from_s + on_the_way_s;
}

void Gateway::call_done(const Request& call, const RequestRecord& record, double now_s) {
  const auto known = calls_.find(call.id);
  const Owner owner = known == calls_.end() ? Owner{call.id, std::nullopt} : known->second;
  if (known != calls_.end()) calls_.erase(known);
  const auto found = contexts_.find(owner.request);
  if (found == contexts_.end()) return;
  RequestContext& context = found->second;
  context.in_pool = false;
  if (context.reported) {
    if (!context.graph || --context.graph->in_pools == 0) contexts_.erase(found);
    return;
  }
  const double at_s = record.status == RequestStatus::timed_out ? call.give_up_s : record.finish_s.value_or(now_s);
  if (owner.side) return side_called(context, record, std::max(now_s, at_s), now_s);
  if (owner.task) return task_done(context, *owner.task, record, std::max(now_s, at_s));
  context.call_record = record;
  if (closing_ || !call.awaited) return end_call(context, at_s);  // no stage watches: it may have ended long before
  ++context.turn;
  events_.push({std::max(now_s, at_s), owner.request, EventKind::call_end, context.turn});
}

std::optional<Gateway::KvSource> Gateway::kv_for(RequestId call) const {
  const auto owner = calls_.find(call);
  if (owner == calls_.end()) return std::nullopt;
  const RequestContext& context = contexts_.at(owner->second.request);
  if (!context.next || context.next->kv_tokens == 0 || context.answer_record.off_pools) return std::nullopt;
  const ReplicaId from = context.answer_record.decode_replica.value_or(context.answer_record.replica);
  return KvSource{.from = replica_at(from), .tokens = context.next->kv_tokens};
}

ReplicaAt Gateway::replica_at(ReplicaId replica) const {
  std::size_t left = index(replica);
  std::size_t pool = 0;
  while (left >= static_cast<std::size_t>(scenario_.pools[pool].spec.replicas))
    left -= static_cast<std::size_t>(scenario_.pools[pool++].spec.replicas);
  return {pool, left};
}

}  // namespace servecast
