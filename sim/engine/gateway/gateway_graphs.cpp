// Requests that the gateway has worked out in several passes.
#include <algorithm>
#include <cassert>
#include <set>

#include "sim/engine/gateway/gateway.h"
#include "sim/engine/time/run_options.h"

namespace servecast {

void Gateway::start_graph(Journey& j, const TaskGraph& graph, double now_s) {
  j.graph = std::make_unique<GraphRun>(graph, now_s);
  ++j.turn;
  if (j.as_it_came.give_up_s < forever)
    events_.push({j.as_it_came.give_up_s, j.as_it_came.id, What::give_up, j.turn});
  for (const std::uint32_t task : j.graph->roots()) {
    note_dispatch(j, (*j.graph)[task].what.target, now_s);
    send_task(j, task, now_s);
  }
}

void Gateway::act_on_task(Journey& j, const Event& event) {
  if (j.told) return;
  switch (event.what) {
    case What::task_leave:
      return send_task(j, event.turn, event.at_s);
    case What::task_asks_api:
      return ask_api_for(j, event.turn, event.at_s);
    default:
      return end_task(j, event.turn, event.at_s);
  }
}

void Gateway::send_task(Journey& j, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*j.graph)[number];
  task.sent_s = now_s;
  ++j.record.passes;
  Target& target = targets_[index(task.what.target)];
  ++target.facts.passes;
  if (target.api) return ask_api_for(j, number, now_s);
  const bool last = number + 1 == j.graph->tasks().size();  // its steps are told as the request's own
  const RequestId id = last ? j.as_it_came.id : RequestId{next_pass_++};
  passes_.emplace(id, Owner{j.as_it_came.id, number});
  ++j.graph->in_pools;
  exits_.send_pass(task_request(j, number, id, now_s));
}

Request Gateway::task_request(const Journey& j, std::uint32_t number, RequestId id, double now_s) const {
  constexpr std::int32_t usual_block_tokens = 16;
  GraphRun::Task& task = (*j.graph)[number];
  Request pass = j.of.request;
  if (pass.block_tokens == 0) pass.block_tokens = usual_block_tokens;
  task.blocks = block_names(pass, task.what, number);
  pass.id = id;
  pass.arrival_s = now_s;
  pass.pool = static_cast<PoolId>(index(task.what.target));
  pass.prompt_tokens = task.what.prompt_tokens();
  pass.output_tokens = task.what.output_tokens;
  pass.awaited = true;
  pass.said_blocks = task.blocks;
  pass.prefix_blocks = pass.said_blocks.first(static_cast<std::size_t>(pass.prompt_tokens / pass.block_tokens));
  if (!j.graph->is_answer(number)) pass.samples = pass.beam_width = 1;
  return pass;
}

void Gateway::ask_api_for(Journey& j, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*j.graph)[number];
  Target& target = targets_[index(task.what.target)];
  const Request request = task_request(j, number, j.as_it_came.id, now_s);
  const ApiReply reply = target.api->ask(request, task.attempt++, now_s, target.rng);
  if (reply.kind == ApiReply::Kind::try_again)
    return events_.push({reply.retry_s, j.as_it_came.id, What::task_asks_api, number});
  task.record = api_record(j, reply, request.output_tokens, task.sent_s);
  task.usd = reply.usd;
  pay(j, target, reply.usd);
  events_.push({task.record.finish_s.value_or(now_s), j.as_it_came.id, What::task_end, number});
}

void Gateway::task_done(Journey& j, std::uint32_t number, const RequestRecord& record, double now_s) {
  --j.graph->in_pools;
  (*j.graph)[number].record = record;
  if (closing_) return end_task(j, number, now_s);
  events_.push({now_s, j.as_it_came.id, What::task_end, number});
}

void Gateway::end_task(Journey& j, std::uint32_t number, double now_s) {
  GraphRun::Task& task = (*j.graph)[number];
  tell_task(j, task, now_s);
  j.preemptions += task.record.preemptions;
  if (!j.scheduled_s || task.record.scheduled_s < j.scheduled_s) j.scheduled_s = task.record.scheduled_s;
  if (task.record.status != RequestStatus::completed) {
    j.pass_record = task.record;
    return conclude(j, task.record.status, now_s);
  }
  if (number == j.graph->streamed() && !j.of.held) j.first_token_s = task.record.first_token_s;
  for (const std::uint32_t next : j.graph->end(number, now_s))
    events_.push({now_s + (*j.graph)[next].what.tool_s, j.as_it_came.id, What::task_leave, next});
  if (j.graph->all_done()) end_graph(j, now_s);
}

/// The answer: what the last node has made, all its parts together.
void Gateway::end_graph(Journey& j, double now_s) {
  ++j.turn;
  if (closing_ && j.of.held) return conclude(j, RequestStatus::unfinished, now_s);
  j.record.graph = j.graph->record();
  j.record.graph->plain_prompt_tokens = j.of.request.prompt_tokens;
  j.record.graph->plain_output_tokens = j.of.request.output_tokens;
  count_graph(*j.graph);
  const GraphRun::Task& last = (*j.graph)[j.graph->critical_path().front()];
  j.answer_record = last.record;
  j.answer_record.output_tokens = 0;
  for (std::uint32_t i = 0; i < j.graph->tasks().size(); ++i)
    if (j.graph->is_answer(i)) j.answer_record.output_tokens += (*j.graph)[i].record.output_tokens;
  j.of.target = last.what.target;
  j.answer = GatewayAnswer{.target = j.of.target,
                           .first_token_s = *last.record.first_token_s,
                           .finish_s = now_s,
                           .output_tokens = j.answer_record.output_tokens,
                           .score = expected_score(j)};
  j.answer_seen = !j.of.held;
  j.verdicts = closing_ ? 0 : j.stages;
  ask_verdicts(j, now_s);
}

void Gateway::tell_task(const Journey& j, const GraphRun::Task& task, double now_s) {
  if (!detail_) return;
  detail_->gateway({.id = j.as_it_came.id,
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
    ++node.passes;
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
