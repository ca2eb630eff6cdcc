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

Gateway::Gateway(const Scenario& scenario, Exits& exits, DetailListener* detail)
    : scenario_(scenario),
      exits_(exits),
      detail_(detail && detail->wants_gateway() ? detail : nullptr),
      next_pass_(first_pass_id) {
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
  Journey& j = journeys_[request.id];
  j.as_it_came = request;
  j.of.request = request;
  j.of.target = static_cast<TargetId>(index(request.pool));
  j.dispatched_from_s = request.arrival_s;
  j.notes.resize(stages_.size());
  j.record.id = request.id;
  j.record.request_class = request.request_class;
  push(j, What::stage, request.arrival_s);
}

// A client that gives up before that is told so then.
void Gateway::push(Journey& j, What what, double at_s) {
  ++j.turn;
  const double give_up_s = j.as_it_came.give_up_s;
  if (at_s > give_up_s) return events_.push({give_up_s, j.as_it_came.id, What::give_up, j.turn});
  events_.push({at_s, j.as_it_came.id, what, j.turn});
}

void Gateway::act_due(double now_s) {
  while (next_s() <= now_s) {
    const Event event = events_.top();
    events_.pop();
    act(event);
  }
}

void Gateway::act(const Event& event) {
  const auto found = journeys_.find(event.journey);
  if (found == journeys_.end()) return;
  Journey& j = found->second;
  if (event.what == What::late) {
    if (j.passing && !j.told && j.record.passes == event.turn) late(j, event.at_s);
    return;
  }
  if (event.what >= What::task_leave) return act_on_task(j, event);
  if (event.turn != j.turn || j.told) return;
  switch (event.what) {
    case What::stage:
      return run_stages(j, event.at_s);
    case What::verdict:
      return ask_verdicts(j, event.at_s);
    case What::leave:
      return start_pass(j, event.at_s);
    case What::ask_api:
      return ask_api(j, event.at_s);
    case What::pass_end:
      return end_pass(j, event.at_s);
    case What::memory:
      return conclude(j, RequestStatus::completed, event.at_s);
    case What::give_up:
      j.passing = false;
      return conclude(j, RequestStatus::timed_out, event.at_s);
    default:
      break;  // late passes and tasks: above
  }
}

void Gateway::charge(Journey& j, std::size_t stage, double delay_s, double usd, double now_s, std::string_view kind) {
  GatewayStageFacts& facts = stages_[stage].facts;
  const bool arrival = kind == "stage";
  if (arrival || delay_s > 0) facts.delay_s.add(delay_s, 1);
  facts.usd += usd;
  j.record.gateway_s += delay_s;
  j.record.usd += usd;
  if (!detail_ || (!arrival && delay_s == 0 && usd == 0)) return;
  detail_->gateway({.id = j.as_it_came.id,
                    .what = facts.policy,
                    .kind = kind,
                    .start_s = now_s,
                    .end_s = now_s + delay_s,
                    .usd = usd,
                    .prompt_tokens = j.of.request.prompt_tokens,
                    .output_tokens = j.of.request.output_tokens});
}

void Gateway::run_stages(Journey& j, double now_s) {
  while (j.stages < stages_.size() && !j.of.fixed) {
    const std::size_t i = j.stages++;
    Stage& stage = stages_[i];
    ++stage.facts.requests;
    stage.facts.prompt_tokens_in += j.of.request.prompt_tokens;
    const GatewayStep step = stage.policy->arrive({j.of, j.notes[i], now_s, stage.rng});
    if (j.of.held && j.holder == Journey::nobody) j.holder = i;
    if (step.job) return await_workers(j, i, step, now_s);
    charge(j, i, step.delay_s, step.usd, now_s, "stage");
    if (step.answer) {
      ++stage.facts.answered;
      j.from_memory = step.answer;
      return push(j, What::memory, now_s + step.delay_s);
    }
    stage.facts.prompt_tokens_out += j.of.request.prompt_tokens;
    if (step.graph) return start_graph(j, *step.graph, now_s);
    if (step.delay_s > 0) return push(j, What::stage, now_s + step.delay_s);
  }
  start_pass(j, now_s);
}

std::optional<double> Gateway::expected_score(const Journey& j) const {
  const auto score = j.of.score ? j.of.score : scenario_.quality.score(j.of.target, j.as_it_came.request_class);
  if (!score) return std::nullopt;
  return *score * score_factor(j);
}

void Gateway::end_pass(Journey& j, double now_s) {
  j.passing = false;
  const RequestRecord& r = j.pass_record;
  if (detail_)
    detail_->gateway({.id = j.as_it_came.id,
                      .what = targets_[index(j.of.target)].facts.name,
                      .kind = "pass",
                      .start_s = j.sent_s,
                      .end_s = r.finish_s.value_or(now_s),
                      .usd = j.pass_usd,
                      .prompt_tokens = j.of.request.prompt_tokens,
                      .output_tokens = r.output_tokens});
  if (!j.scheduled_s) j.scheduled_s = r.scheduled_s;
  j.preemptions += r.preemptions;
  if (!j.of.held && !j.first_token_s) j.first_token_s = r.first_token_s;
  const bool client_left = r.status == RequestStatus::timed_out && now_s >= j.as_it_came.give_up_s;
  if (r.status != RequestStatus::completed) {
    const bool stands =
        j.answer && !j.next->needed && r.status != RequestStatus::unfinished && (!client_left || j.answer_seen);
    return stands ? fall_back(j, now_s) : conclude(j, r.status, now_s);
  }
  if (closing_ && j.of.held) return conclude(j, RequestStatus::unfinished, now_s);
  j.answer = GatewayAnswer{.target = j.of.target,
                           .first_token_s = *r.first_token_s,
                           .finish_s = *r.finish_s,
                           .output_tokens = r.output_tokens,
                           .score = expected_score(j)};
  j.answer_record = r;
  j.answer_seen = !j.of.held;
  j.verdicts = closing_ ? 0 : j.stages;
  ask_verdicts(j, now_s);
}

void Gateway::ask_verdicts(Journey& j, double now_s) {
  while (watches_ && j.verdicts > 0) {
    const std::size_t i = --j.verdicts;
    Stage& stage = stages_[i];
    const GatewayVerdict verdict = stage.policy->answered({j.of, j.notes[i], now_s, stage.rng}, *j.answer);
    charge(j, i, verdict.delay_s, verdict.usd, now_s, "verdict");
    if (stage.jobs && j.has_place) job_over(j, now_s);
    if (verdict.score) j.answer->score = *verdict.score * score_factor(j);
    if (verdict.again) {
      ++stage.facts.second_passes;
      j.next = verdict.again;
      j.asked_by = i;
      return push(j, What::leave, now_s + verdict.delay_s);
    }
    if (verdict.delay_s > 0) return push(j, What::verdict, now_s + verdict.delay_s);
  }
  conclude(j, RequestStatus::completed, now_s);
}

/// The pass under way has taken too long.
void Gateway::late(Journey& j, double now_s) {
  if (targets_[index(j.of.target)].api) j.passing = false;
  ++j.turn;
  fall_back(j, now_s);
}

/// The answer before stands.
void Gateway::fall_back(Journey& j, double now_s) {
  assert(j.answer && "who bounds the time of a pass has an answer before it");
  j.verdicts = closing_ ? 0 : j.asked_by + 1;
  ask_verdicts(j, now_s);
}

}  // namespace servecast
