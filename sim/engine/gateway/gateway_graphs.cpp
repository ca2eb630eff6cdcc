// Requests that the gateway has worked out in several LLM calls.
#include <algorithm>
#include <cassert>
#include <set>

#include "sim/engine/gateway/gateway.h"
#include "sim/engine/time/run_options.h"

namespace servecast {

void Gateway::start_graph(RequestContext& context, const TaskGraph& graph, double now_s) {
  context.graph = std::make_unique<GraphRun>(graph, now_s);
  ++context.turn;
  if (context.original.give_up_s < forever)
    events_.push({context.original.give_up_s, context.original.id, EventKind::give_up, context.turn});
  for (const std::uint32_t task : context.graph->roots()) {
    const Subtask& first = (*context.graph)[task].what;
    note_dispatch(context, first.target, first.prompt_tokens(), now_s);
    send_task(context, task, now_s);
  }
}

void Gateway::act_on_task(RequestContext& context, const Event& event) {
  if (context.reported) return;
  switch (event.what) {
    case EventKind::task_leave:
      return send_task(context, event.turn, event.at_s);
    case EventKind::task_asks_api:
      return ask_api_for(context, event.turn, event.at_s);
    default:
      return end_task(context, event.turn, event.at_s);
  }
}

void Gateway::send_task(RequestContext& context, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*context.graph)[number];
  task.sent_s = now_s;
  ++context.record.llm_calls;
  Target& target = targets_[index(task.what.target)];
  ++target.facts.llm_calls;
  if (target.api) return ask_api_for(context, number, now_s);
  const bool last = number + 1 == context.graph->tasks().size();  // its steps are reported as the request's own
  const RequestId id = last ? context.original.id : RequestId{next_call_++};
  calls_.emplace(id, Owner{context.original.id, number});
  ++context.graph->in_pools;
  callbacks_.send_call(task_request(context, number, id, now_s));
}

Request Gateway::task_request(const RequestContext& context, std::uint32_t number, RequestId id, double now_s) const {
  constexpr std::int32_t usual_block_tokens = 16;
  GraphRun::Task& task = (*context.graph)[number];
  Request call = context.outgoing.request;
  if (call.block_tokens == 0) call.block_tokens = usual_block_tokens;
  task.blocks = block_names(call, task.what, number);
  call.id = id;
  call.arrival_s = now_s;
  call.pool = static_cast<PoolId>(index(task.what.target));
  call.prompt_tokens = task.what.prompt_tokens();
  call.output_tokens = task.what.output_tokens;
  call.awaited = true;
  call.said_blocks = task.blocks;
  call.prefix_blocks = call.said_blocks.first(static_cast<std::size_t>(call.prompt_tokens / call.block_tokens));
  if (!context.graph->is_answer(number)) call.samples = call.beam_width = 1;
  return call;
}

void Gateway::ask_api_for(RequestContext& context, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*context.graph)[number];
  Target& target = targets_[index(task.what.target)];
  const Request request = task_request(context, number, context.original.id, now_s);
  const ApiReply reply = target.api->ask(request, task.attempt++, now_s, target.rng);
  if (reply.kind == ApiReply::Kind::try_again)
    return events_.push({reply.retry_s, context.original.id, EventKind::task_asks_api, number});
  task.record = api_record(context, reply, request.output_tokens, task.sent_s);
  task.usd = reply.usd;
  pay(context, target, reply.usd);
  events_.push({task.record.finish_s.value_or(now_s), context.original.id, EventKind::task_end, number});
}

void Gateway::task_done(RequestContext& context, std::uint32_t number, const RequestRecord& record, double now_s) {
  --context.graph->in_pools;
  (*context.graph)[number].record = record;
  if (closing_) return end_task(context, number, now_s);
  events_.push({now_s, context.original.id, EventKind::task_end, number});
}

void Gateway::end_task(RequestContext& context, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*context.graph)[number];
  report_task(context, task, now_s);
  context.preemptions += task.record.preemptions;
  if (!context.scheduled_s || task.record.scheduled_s < context.scheduled_s)
    context.scheduled_s = task.record.scheduled_s;
  if (task.record.status != RequestStatus::completed) {
    context.call_record = task.record;
    return conclude(context, task.record.status, now_s);
  }
  if (number == context.graph->streamed() && !context.outgoing.held)
    context.first_token_s = task.record.first_token_s;
  for (const std::uint32_t next : context.graph->end(number, now_s))
    events_.push({now_s + (*context.graph)[next].what.tool_s, context.original.id, EventKind::task_leave, next});
  if (context.graph->all_done()) end_graph(context, now_s);
}

/// The answer: what the last node has made, all its parts together.
void Gateway::end_graph(RequestContext& context, double now_s) {
  ++context.turn;
  if (closing_ && context.outgoing.held) return conclude(context, RequestStatus::unfinished, now_s);
  context.record.graph = context.graph->record();
  context.record.graph->plain_prompt_tokens = context.outgoing.request.prompt_tokens;
  context.record.graph->plain_output_tokens = context.outgoing.request.output_tokens;
  count_graph(*context.graph);
  const GraphRun::Task& last = (*context.graph)[context.graph->critical_path().front()];
  context.answer_record = last.record;
  context.answer_record.output_tokens = 0;
  for (std::uint32_t i = 0; i < context.graph->tasks().size(); ++i)
    if (context.graph->is_answer(i)) context.answer_record.output_tokens += (*context.graph)[i].record.output_tokens;
  context.outgoing.target = last.what.target;
  context.answer = GatewayAnswer{.target = context.outgoing.target,
                                 .first_token_s = *last.record.first_token_s,
                                 .finish_s = now_s,
                                 .output_tokens = context.answer_record.output_tokens,
                                 .score = expected_score(context)};
  context.answer_seen = !context.outgoing.held;
  context.verdicts = closing_ ? 0 : context.stages;
  ask_verdicts(context, now_s);
}

void Gateway::report_task(const RequestContext& context, const GraphRun::Task& task, double now_s) {
  if (!detail_) return;
  detail_->gateway({.id = context.original.id,
                    .what = nodes_[task.what.node].name,
                    .kind = "node",
                    .start_s = task.sent_s,
                    .end_s = now_s,
                    .usd = task.usd,
                    .prompt_tokens = task.what.prompt_tokens(),
                    .output_tokens = task.record.output_tokens});
}

void Gateway::count_graph(const GraphRun& graph) {
  for (const GraphRun::Task& task : graph.tasks()) {
    NodeFacts& node = nodes_[task.what.node];
    ++node.llm_calls;
    node.ttft_s.add(*task.record.first_token_s - task.sent_s);
    node.e2e_s.add(task.end_s - task.sent_s);
    node.prompt_tokens += task.what.prompt_tokens();
    node.cached_tokens += task.record.cached_tokens;
    node.output_tokens += task.record.output_tokens;
  }
  std::set<std::uint32_t> on_path;
  for (const std::uint32_t i : graph.critical_path()) {
    const GraphRun::Task& task = graph.tasks()[i];
    on_path.insert(task.what.node);
    nodes_[task.what.node].critical_s += task.end_s - task.ready_s;
  }
  for (const std::uint32_t node : on_path) ++nodes_[node].critical;
}

}  // namespace servecast
