// What every stage of the gateway keeps.
#include <algorithm>
#include <cmath>

#include "sim/contract/checks.h"
#include "sim/contract/contract.h"
#include "sim/contract/made_gateway.h"

namespace servecast {
namespace {

constexpr std::size_t known_targets = 3;  // of MadeStage

void sound_charge(const GatewayRequest& of, double delay_s, double usd, Findings& found) {
  found.expect(delay_s >= 0 && std::isfinite(delay_s), "delays are finite and no less than 0");
  found.expect(usd >= 0, "prices are no less than 0");
  found.expect(of.request.prompt_tokens >= 1 && of.request.output_tokens >= 1,
               "a request keeps a token of each kind");
  found.expect(index(of.target) < known_targets, "targets are among those that it was given");
  found.expect(of.quality_factor >= 0 && of.quality_factor <= 1, "quality_factor is a share");
  const auto hashed = static_cast<std::int64_t>(of.request.prefix_blocks.size()) * of.request.block_tokens;
  found.expect(hashed <= of.request.prompt_tokens, "keeps no hashes of what is not in the prompt any more");
}

void sound_graph(const TaskGraph& graph, std::size_t nodes, Findings& found) {
  if (!found.expect(!graph.tasks.empty(), "a graph has tasks")) return;
  found.expect(graph.streamed < graph.tasks.size(), "the task whose answer is streamed is one of the graph");
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
    const Subtask& task = graph.tasks[i];
    found.expect(task.node < nodes, "a task is one of the planner's nodes");
    found.expect(task.prompt_tokens() >= 1 && task.output_tokens >= 1, "a task has a token of each kind");
    found.expect(task.tool_s >= 0, "tools take no less than no time");
    found.expect(std::ranges::all_of(task.after, [i](std::uint32_t before) { return before < i; }),
                 "a task waits for earlier ones only");
  }
}

void sound_job(const Job& job, double arrival_s, Findings& found) {
  found.expect(job.acknowledged_s >= 0, "a job is acknowledged no sooner than at once");
  found.expect(job.parts >= 1, "a job has parts");
  found.expect(job.due_s.value_or(arrival_s + 1) > arrival_s, "a job is due after its arrival");
}

/// Passes until the stage is content.
void answer_all(MadeStage& stage, GatewayRequest& of, double arrival_s, Findings& found) {
  for (int pass = 0; pass < 30; ++pass) {
    const auto target = static_cast<std::uint16_t>(index(of.target));
    const GatewayVerdict verdict = stage.answered(of, arrival_s + 1 + pass, target);
    sound_charge(of, verdict.delay_s, verdict.usd, found);
    if (!verdict.again) return;
    of.target = verdict.again->target;
    of.request.prompt_tokens = verdict.again->prompt_tokens;
    of.request.output_tokens = verdict.again->output_tokens;
    sound_charge(of, 0, 0, found);
  }
  found.expect(false, "an answer goes out some day");
}

}  // namespace

void gateway_charges_within_reason(const Subject& subject, Findings& found) {
  MadeStage stage(subject.name);
  found.expect(stage.policy->problems().empty(), "has no problem with its settings");
  const std::vector<BlockHash> blocks(100, 7);
  for (std::uint32_t i = 0; i < 500; ++i) {
    GatewayRequest of{.request = MadeStage::request(i, 16 + 16 * (i % 100))};
    of.request.block_tokens = 16;
    of.request.prefix_blocks = std::span(blocks).first(1 + i % 100);
    const double arrival_s = of.request.arrival_s;
    const StageAction step = stage.arrive(of, arrival_s);
    sound_charge(of, step.delay_s, step.usd, found);
    found.expect(of.request.arrival_s == arrival_s && index(of.request.id) == i, "leaves id and arrival as they are");
    if (step.answer) {
      found.expect(step.answer->output_tokens >= 1, "an answer has tokens");
      continue;
    }
    if (step.graph && found.expect(stage.policy->planner() != nullptr, "has a planner where it gives graphs"))
      sound_graph(*step.graph, stage.policy->planner()->nodes().size(), found);
    if (step.job) sound_job(*step.job, arrival_s, found);
    if (stage.policy->sees_answers()) answer_all(stage, of, arrival_s, found);
  }
}

void gateway_repeats(const Subject& subject, Findings& found) {
  MadeStage one(subject.name);
  MadeStage other(subject.name);
  for (std::uint32_t i = 0; i < 200; ++i) {
    GatewayRequest a{.request = MadeStage::request(i)};
    GatewayRequest b{.request = MadeStage::request(i)};
    const StageAction x = one.arrive(a, 0.1 * i);
    const StageAction y = other.arrive(b, 0.1 * i);
    found.expect(x.delay_s == y.delay_s && x.answer.has_value() == y.answer.has_value() &&
                     a.request.prompt_tokens == b.request.prompt_tokens && a.target == b.target,
                 "does the same with the same requests");
  }
}

void gateway_sends_only_to_whom_it_names(const Subject& subject, Findings& found) {
  MadeStage stage(subject.name);
  std::vector<std::string> named{"small"};  // where the workload sends it
  for (const NamedTarget& target : stage.policy->targets()) named.push_back(target.name);
  const std::vector<std::string> all{"small", "large", "api"};
  for (std::uint32_t i = 0; i < 300; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0.1 * i);
    found.expect(index(of.target) < all.size() && std::ranges::find(named, all[index(of.target)]) != named.end(),
                 "sends requests only to those that targets() names");
  }
}

}  // namespace servecast
