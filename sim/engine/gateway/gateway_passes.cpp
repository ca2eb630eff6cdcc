// Passes of the gateway: to pools, and to outside APIs.
#include <algorithm>

#include "models/base/mixed_bits.h"
#include "sim/engine/gateway/gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

void Gateway::start_pass(Journey& j, double now_s) {
  shape_pass(j);
  note_dispatch(j, j.of.target, now_s);
  j.passing = true;
  j.sent_s = now_s;
  j.pass_usd = 0;
  ++j.record.passes;
  Target& target = targets_[index(j.of.target)];
  ++target.facts.passes;
  if (j.next && j.next->late_s < forever)
    events_.push({j.next->late_s, j.as_it_came.id, What::late, j.record.passes});
  if (target.api) {
    j.attempt = 0;
    return ask_api(j, now_s);
  }
  j.pass_id = j.record.passes == 1 ? j.as_it_came.id : RequestId{next_pass_++};
  if (j.pass_id != j.as_it_came.id) passes_.emplace(j.pass_id, Owner{j.as_it_came.id});
  ++j.turn;  // nothing is due before it comes back
  exits_.send_pass(pass_request(j, now_s));
}

/// What the stage that asked for another pass wants of it.
void Gateway::shape_pass(Journey& j) {
  if (j.next) {
    if (!j.next->goes_on) j.blocks.clear();
    if (j.next->forget_prefix) {
      j.of.request.prefix_blocks = j.of.request.said_blocks = {};
      j.of.request.block_tokens = 0;
    }
    j.of.target = j.next->target;
    j.of.request.prompt_tokens = j.next->prompt_tokens;
    j.of.request.output_tokens = j.next->output_tokens;
    j.of.score = j.next->score;
    if (j.holder == j.asked_by && !j.next->held) j.holder = Journey::nobody;
    j.of.held = j.next->held || j.holder < j.asked_by;
  }
  if (goes_on_) extend_blocks(j);
}

/// Names for the blocks of prompt and output that have none, so that a later pass finds them again.
void Gateway::extend_blocks(Journey& j) const {
  constexpr std::int32_t usual_block_tokens = 16;
  Request& r = j.of.request;
  if (r.block_tokens == 0) r.block_tokens = usual_block_tokens;
  const auto whole = [&](std::int64_t tokens) { return static_cast<std::size_t>(tokens / r.block_tokens); };
  const std::size_t prompt = whole(r.prompt_tokens);
  const std::size_t all = whole(r.prompt_tokens + r.output_tokens);
  if (j.blocks.empty()) {
    const std::size_t known =
        r.said_blocks.empty() ? std::min(prompt, r.prefix_blocks.size()) : std::min(all, r.said_blocks.size());
    const auto said = r.said().first(known);
    j.blocks.assign(said.begin(), said.end());
  }
  const std::uint64_t journey = static_cast<std::uint64_t>(index(r.id)) << 32 | std::uint64_t{j.record.passes} << 24;
  while (j.blocks.size() < all) j.blocks.push_back(mixed_bits(journey + j.blocks.size()) | std::uint64_t{1} << 63);
  r.said_blocks = std::span(j.blocks).first(all);
  r.prefix_blocks = r.said_blocks.first(prompt);
}

Request Gateway::pass_request(const Journey& j, double now_s) const {
  Request pass = j.of.request;
  pass.id = j.pass_id;
  pass.arrival_s = now_s;
  pass.pool = static_cast<PoolId>(index(j.of.target));
  pass.awaited = pass.awaited || watches_;
  if (j.next && !j.next->finish_late) pass.give_up_s = std::min(pass.give_up_s, j.next->late_s);
  return pass;
}

void Gateway::ask_api(Journey& j, double now_s) {
  Target& target = targets_[index(j.of.target)];
  const ApiReply reply = target.api->ask(j.of.request, j.attempt++, now_s, target.rng);
  if (reply.kind == ApiReply::Kind::try_again) return push(j, What::ask_api, reply.retry_s);
  j.pass_record = api_record(j, reply, j.of.request.output_tokens, j.sent_s);
  if (reply.kind == ApiReply::Kind::turned_away) return push(j, What::pass_end, now_s);
  j.pass_usd = reply.usd;
  pay(j, target, reply.usd);
  push(j, What::pass_end, reply.finish_s);
}

RequestRecord Gateway::api_record(const Journey& j, const ApiReply& reply, std::int64_t output_tokens,
                                  double sent_s) const {
  RequestRecord r{.id = j.as_it_came.id,
                  .arrival_s = sent_s,
                  .pool = j.as_it_came.pool,
                  .status = RequestStatus::shed,
                  .off_pools = true};
  if (reply.kind == ApiReply::Kind::turned_away) return r;
  r.status = RequestStatus::completed;
  r.first_token_s = reply.first_token_s;
  r.finish_s = reply.finish_s;
  r.output_tokens = output_tokens;
  return r;
}

void Gateway::pay(Journey& j, Target& target, double usd) const {
  j.record.usd += usd;
  target.facts.usd += usd;
}

/// The gateway is through with what it does before anybody is asked.
void Gateway::note_dispatch(Journey& j, TargetId target, double now_s) const {
  if (j.record.dispatch_s) return;
  const bool to_pool = !targets_[index(target)].api;
  const double on_the_way_s = to_pool ? scenario_.pools[index(target)].engine.inbound_s() : 0;
  j.record.dispatch_s = now_s - j.dispatched_from_s + on_the_way_s;
}

void Gateway::pass_done(const Request& pass, const RequestRecord& record, double now_s) {
  const auto known = passes_.find(pass.id);
  const Owner owner = known == passes_.end() ? Owner{pass.id, std::nullopt} : known->second;
  if (known != passes_.end()) passes_.erase(known);
  const auto found = journeys_.find(owner.journey);
  if (found == journeys_.end()) return;
  Journey& j = found->second;
  if (j.told) {
    if (!j.graph || --j.graph->in_pools == 0) journeys_.erase(found);
    return;
  }
  const double at_s = record.status == RequestStatus::timed_out ? pass.give_up_s : record.finish_s.value_or(now_s);
  if (owner.task) return task_done(j, *owner.task, record, std::max(now_s, at_s));
  j.pass_record = record;
  if (closing_ || !pass.awaited) return end_pass(j, at_s);  // nobody watches: it may have ended long before
  ++j.turn;
  events_.push({std::max(now_s, at_s), owner.journey, What::pass_end, j.turn});
}

std::optional<Gateway::KvSource> Gateway::kv_for(RequestId pass) const {
  const auto owner = passes_.find(pass);
  if (owner == passes_.end()) return std::nullopt;
  const Journey& j = journeys_.at(owner->second.journey);
  if (!j.next || j.next->kv_tokens == 0 || j.answer_record.off_pools) return std::nullopt;
  const ReplicaId from = j.answer_record.decode_replica.value_or(j.answer_record.replica);
  return KvSource{.from = replica_at(from), .tokens = j.next->kv_tokens};
}

ReplicaAt Gateway::replica_at(ReplicaId replica) const {
  std::size_t left = index(replica);
  std::size_t pool = 0;
  while (left >= static_cast<std::size_t>(scenario_.pools[pool].spec.replicas))
    left -= static_cast<std::size_t>(scenario_.pools[pool++].spec.replicas);
  return {pool, left};
}

}  // namespace servecast
