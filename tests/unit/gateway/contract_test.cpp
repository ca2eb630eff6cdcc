// What every registered stage of the gateway keeps: a new policy file is covered without a new test.
#include <gtest/gtest.h>

#include <cmath>

#include "tests/unit/gateway/made_gateway.h"

namespace servecast::contract_test {

class AnyStage : public testing::TestWithParam<std::string> {};
INSTANTIATE_TEST_SUITE_P(All, AnyStage, testing::ValuesIn(Registry<GatewayPolicy>::names()),
                         [](const auto& policy) { return policy.param; });

void expect_sound(const GatewayRequest& of, double delay_s, double usd) {
  EXPECT_GE(delay_s, 0);
  EXPECT_TRUE(std::isfinite(delay_s));
  EXPECT_GE(usd, 0);
  EXPECT_GE(of.request.prompt_tokens, 1);
  EXPECT_GE(of.request.output_tokens, 1);
  EXPECT_LT(index(of.target), 3u);
  EXPECT_GE(of.quality_factor, 0);
  EXPECT_LE(of.quality_factor, 1);
  const auto hashed = static_cast<std::int64_t>(of.request.prefix_blocks.size()) * of.request.block_tokens;
  EXPECT_LE(hashed, of.request.prompt_tokens) << "no hashes of what is not in the prompt any more";
}

void expect_sound(const TaskGraph& graph, std::size_t nodes) {
  ASSERT_FALSE(graph.tasks.empty());
  EXPECT_LT(graph.streamed, graph.tasks.size());
  for (std::uint32_t i = 0; i < graph.tasks.size(); ++i) {
    const Subtask& task = graph.tasks[i];
    EXPECT_LT(task.node, nodes);
    EXPECT_GE(task.prompt_tokens(), 1);
    EXPECT_GE(task.output_tokens, 1);
    EXPECT_GE(task.tool_s, 0);
    for (const std::uint32_t before : task.after) EXPECT_LT(before, i);
  }
}

void expect_sound(const Job& job, double arrival_s) {
  EXPECT_GE(job.acknowledged_s, 0);
  EXPECT_GE(job.parts, 1);
  EXPECT_GT(job.due_s.value_or(arrival_s + 1), arrival_s);
}

TEST_P(AnyStage, ChargesAndChangesWithinReason) {
  MadeStage stage(GetParam());
  EXPECT_TRUE(stage.policy->problems().empty());
  const std::vector<BlockHash> blocks(100, 7);
  for (std::uint32_t i = 0; i < 500; ++i) {
    GatewayRequest of{.request = MadeStage::request(i, 16 + 16 * (i % 100))};
    of.request.block_tokens = 16;
    of.request.prefix_blocks = std::span(blocks).first(1 + i % 100);
    const double before = of.request.arrival_s;
    const StageAction step = stage.arrive(of, before);
    expect_sound(of, step.delay_s, step.usd);
    EXPECT_EQ(of.request.arrival_s, before);
    EXPECT_EQ(index(of.request.id), i);
    if (step.answer) {
      EXPECT_GE(step.answer->output_tokens, 1);
      continue;
    }
    if (step.graph) expect_sound(*step.graph, stage.policy->planner()->nodes().size());
    if (step.job) expect_sound(*step.job, before);
    if (!stage.policy->sees_answers()) continue;
    for (int call = 0; call < 30; ++call) {
      const GatewayVerdict verdict =
          stage.answered(of, before + 1 + call, static_cast<std::uint16_t>(index(of.target)));
      expect_sound(of, verdict.delay_s, verdict.usd);
      if (!verdict.again) break;
      ASSERT_LT(call, 29) << "an answer goes out some day";
      EXPECT_LT(index(verdict.again->target), 3u);
      EXPECT_GE(verdict.again->prompt_tokens, 1);
      EXPECT_GE(verdict.again->output_tokens, 1);
      of.target = verdict.again->target;
      of.request.prompt_tokens = verdict.again->prompt_tokens;
      of.request.output_tokens = verdict.again->output_tokens;
    }
  }
}

TEST_P(AnyStage, DoesTheSameTwice) {
  MadeStage one(GetParam());
  MadeStage other(GetParam());
  for (std::uint32_t i = 0; i < 200; ++i) {
    GatewayRequest a{.request = MadeStage::request(i)};
    GatewayRequest b{.request = MadeStage::request(i)};
    const StageAction x = one.arrive(a, 0.1 * i);
    const StageAction y = other.arrive(b, 0.1 * i);
    EXPECT_EQ(x.delay_s, y.delay_s);
    EXPECT_EQ(x.answer.has_value(), y.answer.has_value());
    EXPECT_EQ(a.request.prompt_tokens, b.request.prompt_tokens);
    EXPECT_EQ(a.target, b.target);
  }
}

TEST_P(AnyStage, SendsOnlyToWhomItNames) {
  MadeStage stage(GetParam());
  std::vector<std::string> named{"small"};  // where the workload sends it
  for (const NamedTarget& target : stage.policy->targets()) named.push_back(target.name);
  const std::vector<std::string> all{"small", "large", "api"};
  for (std::uint32_t i = 0; i < 300; ++i) {
    GatewayRequest of{.request = MadeStage::request(i)};
    stage.arrive(of, 0.1 * i);
    EXPECT_NE(std::ranges::find(named, all[index(of.target)]), named.end());
  }
}

}  // namespace servecast::contract_test
