// LLM calls that stages need before a request goes on: summaries, embeddings.
#include <algorithm>
#include <cassert>

#include "sim/engine/gateway/gateway.h"
#include "sim/engine/time/run_options.h"

namespace servecast {
namespace {

/// Another text than the request's: no cache knows it, and no adapter or session is about it.
Request side_request(Request request, const SideCall& call, RequestId id, double now_s) {
  request.id = id;
  request.arrival_s = now_s;
  request.prompt_tokens = call.prompt_tokens;
  request.output_tokens = call.output_tokens;
  request.pool = static_cast<PoolId>(index(call.target));
  request.adapter = AdapterId{};
  request.session = SessionId{};
  request.awaited = true;
  request.block_tokens = 0;
  request.prefix_blocks = request.said_blocks = {};
  request.samples = request.beam_width = 1;
  return request;
}

}  // namespace

void Gateway::start_side(RequestContext& context, std::size_t stage, const SideCall& call, double since_s,
                         double now_s) {
  context.side = RequestContext::Side{.stage = stage, .call = call, .since_s = since_s, .sent_s = now_s};
  ++context.record.llm_calls;
  Target& target = targets_[index(call.target)];
  ++target.facts.llm_calls;
  if (target.api) return ask_side_api(context, now_s);
  const RequestId id{next_call_++};
  calls_.emplace(id, Owner{.request = context.original.id, .side = true});
  context.in_pool = true;
  ++context.turn;  // nothing is due before it comes back
  callbacks_.send_call(side_request(context.outgoing.request, call, id, now_s));
}

void Gateway::ask_side_api(RequestContext& context, double now_s) {
  RequestContext::Side& side = *context.side;
  Target& target = targets_[index(side.call.target)];
  const Request request = side_request(context.outgoing.request, side.call, context.original.id, now_s);
  const ApiReply reply = target.api->ask(request, side.attempt++, now_s, target.rng);
  if (reply.kind == ApiReply::Kind::try_again) return push(context, EventKind::side_asks, reply.retry_s);
  side.record = api_record(context, reply, side.call.output_tokens, side.sent_s);
  side.usd = reply.usd;
  pay(context, target, reply.usd);
  push(context, EventKind::side_done, side.record.finish_s.value_or(now_s));
}

void Gateway::side_called(RequestContext& context, const RequestRecord& record, double at_s, double now_s) {
  context.side->record = record;
  if (closing_) return end_side(context, now_s);
  ++context.turn;
  events_.push({at_s, context.original.id, EventKind::side_done, context.turn});
}

void Gateway::end_side(RequestContext& context, double now_s) {
  const RequestContext::Side side = *context.side;
  context.side.reset();
  context.preemptions += side.record.preemptions;
  if (detail_)
    detail_->gateway({.id = context.original.id,
                      .what = targets_[index(side.call.target)].facts.name,
                      .kind = "call",
                      .start_s = side.sent_s,
                      .end_s = side.record.finish_s.value_or(now_s),
                      .usd = side.usd,
                      .prompt_tokens = side.call.prompt_tokens,
                      .output_tokens = side.record.output_tokens});
  if (side.record.status != RequestStatus::completed || closing_) {
    context.call_record = side.record;
    const bool ended = side.record.status == RequestStatus::completed;
    return conclude(context, ended ? RequestStatus::unfinished : side.record.status, now_s);
  }
  Stage& stage = stages_[side.stage];
  const StageAction step = stage.policy->resumed({context.outgoing, context.notes[side.stage], now_s, stage.rng});
  assert(!step.job && "a stage that makes jobs of requests does so when they arrive");
  if (step.call) return start_side(context, side.stage, *step.call, side.since_s, now_s);
  charge(context, side.stage, now_s - side.since_s + step.delay_s, step.usd, side.since_s, "stage");
  if (take(context, side.stage, step, now_s)) run_stages(context, now_s);
}

}  // namespace servecast
