#include "sim/engine/gateway/gateway.h"

#include <algorithm>
#include <cassert>

#include "sim/engine/time/run_options.h"
#include "sim/input/rules/check_gateway.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

constexpr std::uint32_t first_pass_id = std::uint32_t{1} << 31;  // those of requests are below

}  // namespace

Gateway::Gateway(const Scenario& scenario, Callbacks& callbacks, DetailListener* detail)
    : scenario_(scenario),
      callbacks_(callbacks),
      detail_(detail && detail->wants_gateway() ? detail : nullptr),
      next_call_(first_pass_id) {
  const auto seed = static_cast<std::uint64_t>(scenario.spec.seed);
  const GatewayContext context{.targets = target_names(scenario.spec),
                               .quality = scenario.quality,
                               .class_id = [&](std::string_view name) { return scenario.notes->classes.id(name); },
                               .width = graph_width(scenario.spec)};
  for (std::size_t i = 0; i < scenario.pools.size(); ++i)
    targets_.push_back({.facts = {.name = context.targets[i]}, .rng = Rng(seed, "")});
  for (const GatewaySpec& entry : scenario.spec.gateway) {
    const std::string stream = "gateway/" + std::to_string(stages_.size()) + "/" + entry.stage.policy();
    stages_.push_back(
        {.policy = entry.stage.make(), .rng = Rng(seed, stream), .facts = {{.policy = entry.stage.policy()}}});
    GatewayPolicy& policy = *stages_.back().policy;
    stages_.back().jobs = policy.jobs();
    if (const TaskPlanner* planner = policy.planner())
      for (const std::string& name : planner->nodes()) nodes_.push_back({.name = name});
    policy.prepare(context);
    watches_ = watches_ || policy.sees_answers();
    goes_on_ = goes_on_ || policy.goes_on();
    if (ApiTier* api = policy.api())
      targets_.push_back(
          {.facts = {.name = api->name(), .api = true}, .api = api, .rng = Rng(seed, stream + "/" + api->name())});
  }
}

void Gateway::accept(const Request& request) {
  assert(index(request.id) < first_pass_id);
  RequestContext& context = contexts_[request.id];
  context.original = request;
  context.outgoing.request = request;
  context.outgoing.target = static_cast<TargetId>(index(request.pool));
  context.dispatched_from_s = request.arrival_s;
  context.notes.resize(stages_.size());
  context.record.id = request.id;
  context.record.request_class = request.request_class;
  push(context, EventKind::stage, request.arrival_s);
}

// A client that gives up before that hears so then; at once, where it has done so while an answer was on its way.
void Gateway::push(RequestContext& context, EventKind what, double at_s) {
  ++context.turn;
  const double give_up_s = context.original.give_up_s;
  if (at_s > give_up_s)
    return events_.push({std::max(give_up_s, acted_s_), context.original.id, EventKind::give_up, context.turn});
  events_.push({at_s, context.original.id, what, context.turn});
}

void Gateway::act_due(double now_s) {
  while (next_s() <= now_s) {
    const Event event = events_.top();
    events_.pop();
    acted_s_ = event.at_s;
    act(event);
  }
}

void Gateway::act(const Event& event) {
  const auto found = contexts_.find(event.request);
  if (found == contexts_.end()) return;
  RequestContext& context = found->second;
  if (event.what == EventKind::late) {
    if (context.calling && !context.reported && context.record.llm_calls == event.turn) late(context, event.at_s);
    return;
  }
  if (event.what >= EventKind::task_leave) return act_on_task(context, event);
  if (event.turn != context.turn || context.reported) return;
  switch (event.what) {
    case EventKind::stage:
      return run_stages(context, event.at_s);
    case EventKind::verdict:
      return ask_verdicts(context, event.at_s);
    case EventKind::leave:
      return start_call(context, event.at_s);
    case EventKind::ask_api:
      return ask_api(context, event.at_s);
    case EventKind::call_end:
      return end_call(context, event.at_s);
    case EventKind::side_asks:
      return ask_side_api(context, event.at_s);
    case EventKind::side_done:
      return end_side(context, event.at_s);
    case EventKind::memory:
      return conclude(context, RequestStatus::completed, event.at_s);
    case EventKind::give_up:
      context.calling = false;
      return conclude(context, RequestStatus::timed_out, event.at_s);
    default:
      break;  // late LLM calls and tasks: above
  }
}

void Gateway::charge(RequestContext& context, std::size_t stage, double delay_s, double usd, double now_s,
                     std::string_view kind) {
  GatewayStageFacts& facts = stages_[stage].facts;
  const bool arrival = kind == "stage";
  if (arrival || delay_s > 0) facts.delay_s.add(delay_s, 1);
  facts.usd += usd;
  context.record.gateway_s += delay_s;
  context.record.usd += usd;
  if (!detail_ || (!arrival && delay_s == 0 && usd == 0)) return;
  detail_->gateway({.id = context.original.id,
                    .what = facts.policy,
                    .kind = kind,
                    .start_s = now_s,
                    .end_s = now_s + delay_s,
                    .usd = usd,
                    .prompt_tokens = context.outgoing.request.prompt_tokens,
                    .output_tokens = context.outgoing.request.output_tokens});
}

void Gateway::run_stages(RequestContext& context, double now_s) {
  while (context.stages < stages_.size() && !context.outgoing.fixed) {
    const std::size_t i = context.stages++;
    Stage& stage = stages_[i];
    ++stage.facts.requests;
    stage.facts.prompt_tokens_in += context.outgoing.request.prompt_tokens;
    const StageAction step = stage.policy->arrive({context.outgoing, context.notes[i], now_s, stage.rng});
    if (step.call) {
      context.record.usd += step.usd;
      stage.facts.usd += step.usd;
      return start_side(context, i, *step.call, now_s, now_s);
    }
    if (step.job) {
      if (context.outgoing.held && context.holder == RequestContext::no_stage) context.holder = i;
      return await_workers(context, i, step, now_s);
    }
    charge(context, i, step.delay_s, step.usd, now_s, "stage");
    if (!take(context, i, step, now_s)) return;
  }
  start_call(context, now_s);
}

/// What a stage has decided. True: the request goes on to the next one at once.
bool Gateway::take(RequestContext& context, std::size_t i, const StageAction& step, double now_s) {
  Stage& stage = stages_[i];
  if (context.outgoing.held && context.holder == RequestContext::no_stage) context.holder = i;
  if (step.answer) {
    ++stage.facts.answered;
    context.from_memory = step.answer;
    push(context, EventKind::memory, now_s + step.delay_s);
    return false;
  }
  stage.facts.prompt_tokens_out += context.outgoing.request.prompt_tokens;
  if (step.graph) {
    start_graph(context, *step.graph, now_s);
    return false;
  }
  if (step.delay_s > 0) push(context, EventKind::stage, now_s + step.delay_s);
  return step.delay_s == 0;
}

std::optional<double> Gateway::expected_score(const RequestContext& context) const {
  const auto score = context.outgoing.score
                         ? context.outgoing.score
                         : scenario_.quality.score(context.outgoing.target, context.original.request_class);
  if (!score) return std::nullopt;
  return *score * score_factor(context);
}

void Gateway::end_call(RequestContext& context, double now_s) {
  context.calling = false;
  const RequestRecord& r = context.call_record;
  if (detail_)
    detail_->gateway({.id = context.original.id,
                      .what = targets_[index(context.outgoing.target)].facts.name,
                      .kind = "call",
                      .start_s = context.sent_s,
                      .end_s = r.finish_s.value_or(now_s),
                      .usd = context.call_usd,
                      .prompt_tokens = context.outgoing.request.prompt_tokens,
                      .output_tokens = r.output_tokens});
  if (!context.scheduled_s) context.scheduled_s = r.scheduled_s;
  context.preemptions += r.preemptions;
  if (!context.outgoing.held && !context.first_token_s) context.first_token_s = r.first_token_s;
  const bool client_left = r.status == RequestStatus::timed_out && now_s >= context.original.give_up_s;
  if (r.status != RequestStatus::completed) {
    const bool stands = context.answer && !context.next->needed && r.status != RequestStatus::unfinished &&
                        (!client_left || context.answer_seen);
    return stands ? fall_back(context, now_s) : conclude(context, r.status, now_s);
  }
  if (closing_ && context.outgoing.held) return conclude(context, RequestStatus::unfinished, now_s);
  context.answer = GatewayAnswer{.target = context.outgoing.target,
                                 .first_token_s = *r.first_token_s,
                                 .finish_s = *r.finish_s,
                                 .output_tokens = r.output_tokens,
                                 .score = expected_score(context)};
  context.answer_record = r;
  context.answer_seen = !context.outgoing.held;
  context.verdicts = closing_ ? 0 : context.stages;
  ask_verdicts(context, now_s);
}

void Gateway::ask_verdicts(RequestContext& context, double now_s) {
  while (watches_ && context.verdicts > 0) {
    const std::size_t i = --context.verdicts;
    Stage& stage = stages_[i];
    const GatewayVerdict verdict =
        stage.policy->answered({context.outgoing, context.notes[i], now_s, stage.rng}, *context.answer);
    charge(context, i, verdict.delay_s, verdict.usd, now_s, "verdict");
    if (stage.jobs && context.has_place) job_over(context, now_s);
    if (verdict.score) context.answer->score = *verdict.score * score_factor(context);
    if (verdict.again) {
      ++stage.facts.follow_up_calls;
      context.next = verdict.again;
      context.asked_by = i;
      return push(context, EventKind::leave, now_s + verdict.delay_s);
    }
    if (verdict.delay_s > 0) return push(context, EventKind::verdict, now_s + verdict.delay_s);
  }
  conclude(context, RequestStatus::completed, now_s);
}

/// The LLM call under way has taken too long.
void Gateway::late(RequestContext& context, double now_s) {
  if (targets_[index(context.outgoing.target)].api) context.calling = false;
  ++context.turn;
  fall_back(context, now_s);
}

/// The answer before stands.
void Gateway::fall_back(RequestContext& context, double now_s) {
  assert(context.answer && "an LLM call with a time limit has an answer before it");
  context.verdicts = closing_ ? 0 : context.asked_by + 1;
  ask_verdicts(context, now_s);
}

}  // namespace servecast
