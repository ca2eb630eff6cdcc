// Requests worked out in several LLM calls: the plan, by hand, and how it runs in front of pools.
#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "models/policy/stages/graph_node.h"
#include "sim/engine/gateway/graph_run.h"
#include "tests/unit/gateway/behind.h"

namespace servecast::graph_test {

std::vector<std::string> texts(const std::vector<GraphNode>& nodes) {
  std::vector<std::string> all;
  for (const SettingProblem& p : problems_of(nodes)) all.push_back(p.key + ": " + p.text);
  return all;
}

TEST(GraphNodes, WhatCannotBeWorkedOutIsRefused) {
  EXPECT_EQ(texts({{.name = "a"}, {.name = "b", .after = {"a"}}}), std::vector<std::string>{});
  EXPECT_EQ(texts({{.name = "a", .after = {"b"}}, {.name = "b", .after = {"a"}}, {.name = "c"}}),
            std::vector<std::string>{"nodes: 'a', 'b' can never start: what they wait for goes round in a circle"});
  EXPECT_EQ(texts({{.name = "draft"}, {.name = "b", .after = {"drafts"}}}),
            std::vector<std::string>{"nodes[1].after: unknown node 'drafts'; did you mean 'draft'? Known: draft, b"});
  EXPECT_EQ(
      texts({{.name = "a"}, {.name = "b"}, {.name = "c", .after = {"b"}}}),
      std::vector<std::string>{"nodes: 'a', 'c' are needed by no other node, but only one can be the answer: put "
                               "its name last and the others into its 'after', or leave them out"});
}

// a and c at once, b after a: levels of 1 + 3 and of 2 LLM calls.
TEST(GraphNodes, LevelsAreInTheOrderOfTheLongestWay) {
  const std::vector<GraphNode> nodes{{.name = "b", .after = {"a"}, .parts = 2},
                                     {.name = "a"},
                                     {.name = "c", .parts = 3},
                                     {.name = "d", .after = {"b", "c"}}};
  const GraphLevels levels = levels_of(nodes);
  EXPECT_EQ(levels.order, (std::vector<std::size_t>{1, 2, 0, 3}));
  EXPECT_EQ(levels.width, 4);
}

// Two pieces of 20 tokens and an answer of 24, in blocks of 16: the second block has 4 tokens of the second piece.
TEST(BlockNames, AreTheSameAsLongAsTheTextIs) {
  const Request request{.id = RequestId{3}, .prompt_tokens = 20, .block_tokens = 16};
  const auto names = [&](std::uint32_t own, std::int64_t more) {
    return block_names(request,
                       {.prompt = {{TextPiece::Source::request, 0, 20}, {TextPiece::Source::own, own, 20 + more}},
                        .output_tokens = 24},
                       9);
  };
  EXPECT_EQ(names(1, 0).size(), 4u);
  EXPECT_EQ(names(1, 0)[0], names(2, 0)[0]) << "both begin with the request's prompt";
  EXPECT_NE(names(1, 0)[1], names(2, 0)[1]);
  EXPECT_EQ(names(1, 0)[1], names(1, 10)[1]) << "the same words, of which one says more";
  EXPECT_NE(names(1, 0)[2], names(1, 10)[2]);
}

const std::string one_request =
    "    requests: 1\n    arrivals: {constant: {requests_per_s: 1}}\n    prompt_tokens: {fixed: 600}\n"
    "    output_tokens: {fixed: 50}\n";

/// An API whose calls take 2 s + 10 ms for each output token after the first.
std::string on_an_api(const std::string& nodes) {
  return behind(
      "gateway:\n"
      "  - {policy: api_tier, name: api, takes_all: true, ttft_median_s: 2, ttft_sigma: 0, prompt_token_s: 0,"
      " tpot_median_s: 0.01, tpot_sigma: 0}\n"
      "  - {policy: graph, nodes: [" +
          nodes + "]}\n",
      one_request);
}

double e2e_of(const Ran& ran) {
  const RequestRecord& r = ran.recorder.requests().front();
  return *r.finish_s - r.arrival_s;
}
const GraphRecord& graph_of(const Ran& ran) { return *ran.recorder.gateway_requests().front().graph; }

// Parts of 101, 201 and 301 tokens take 3, 4 and 5 s, the join of 51 takes 2.5: 5 + 2.5, and 14.5 in all.
TEST(Graph, IndependentPartsTakeTheLongestAndTheJoin) {
  const Ran ran(
      on_an_api("{name: a, output_tokens: 101}, {name: b, output_tokens: 201}, {name: c, output_tokens: 301}, "
                "{name: join, after: [a, b, c], output_tokens: 51}"));
  EXPECT_NEAR(e2e_of(ran), 7.5, 1e-9);
  EXPECT_NEAR(graph_of(ran).makespan_s, 7.5, 1e-9);
  EXPECT_NEAR(graph_of(ran).node_time_s, 14.5, 1e-9);
  const auto& nodes = ran.summary.gateway.graph_nodes;
  EXPECT_EQ(nodes[1].critical_fraction, 0);
  EXPECT_NEAR(nodes[2].critical_s_mean, 5, 1e-9);
  EXPECT_NEAR(nodes[3].critical_s_mean, 2.5, 1e-9);
  // Each part reads the request's 600 tokens, the join those and 101 + 201 + 301.
  EXPECT_EQ(graph_of(ran).prompt_tokens, 4 * 600 + 603);
  EXPECT_EQ(graph_of(ran).output_tokens, 101 + 201 + 301 + 51);
  EXPECT_EQ(graph_of(ran).plain_prompt_tokens, 600);
  EXPECT_EQ(graph_of(ran).plain_output_tokens, 50);
  EXPECT_EQ(ran.recorder.requests().front().output_tokens, 51);
}

TEST(Graph, AChainTakesTheSum) {
  const Ran ran(
      on_an_api("{name: a, output_tokens: 101}, {name: b, after: [a], output_tokens: 201}, "
                "{name: c, after: [b], output_tokens: 301}"));
  EXPECT_NEAR(e2e_of(ran), 3 + 4 + 5, 1e-9);
  EXPECT_NEAR(graph_of(ran).node_time_s, 12, 1e-9);
  EXPECT_NEAR(*ran.recorder.requests().front().first_token_s, 3 + 4 + 2, 1e-9) << "the last one's words are streamed";
}

// A diamond whose branches are chains: 3 + max(3 + 3, 4) + 2.5.
TEST(Graph, EachNodeStartsWhenWhatItNeedsIsThere) {
  const Ran ran(
      on_an_api("{name: top, output_tokens: 101}, {name: left, after: [top], output_tokens: 101}, "
                "{name: lower, after: [left], output_tokens: 101}, {name: right, after: [top], output_tokens: 201}, "
                "{name: join, after: [lower, right], output_tokens: 51}"));
  EXPECT_NEAR(e2e_of(ran), 3 + 6 + 2.5, 1e-9);
}

TEST(Graph, AnotherNodesWordsCanBeStreamed) {
  const Ran ran(behind(
      "gateway:\n  - {policy: graph, streamed: draft, nodes: [{name: draft}, {name: check, after: [draft]}]}\n",
      one_request));
  const Ran alone(behind("", one_request));
  EXPECT_EQ(ran.recorder.requests().front().first_token_s, alone.recorder.requests().front().first_token_s);
  EXPECT_GT(e2e_of(ran), e2e_of(alone));
}

// Rounds of 60 tokens take 2.59 s, the tool 0.5 s, the answer of 50 tokens 2.49 s. The context grows by what both
// say.
TEST(Graph, AnAgentComesBackWithWhatItsToolsSay) {
  const Ran ran(
      on_an_api("{name: agent, repeat: {rounds_mean: 1000000, most_rounds: 3, round_tokens: 60, result_tokens: 300, "
                "tool: {median_s: 0.5, sigma: 0}}}"));
  EXPECT_NEAR(e2e_of(ran), 3 * (2.59 + 0.5) + 2.49, 1e-9);
  EXPECT_EQ(graph_of(ran).prompt_tokens, 600 + 960 + 1320 + 1680);
  EXPECT_EQ(ran.recorder.gateway_requests().front().llm_calls, 4);
}

TEST(Graph, RoundsAreGeometric) {
  const Ran ran(
      behind("gateway:\n  - {policy: api_tier, name: api, takes_all: true}\n"
             "  - {policy: graph, nodes: [{name: agent, repeat: {rounds_mean: 3, most_rounds: 1000}}]}\n",
             "    requests: 4000\n    arrivals: {poisson: {requests_per_s: 8}}\n    prompt_tokens: {fixed: "
             "5}\n    output_tokens: {fixed: 5}\n"));
  double sum = 0;
  double once = 0;
  for (const GatewayRecord& g : ran.recorder.gateway_requests()) {
    sum += g.llm_calls - 1;
    once += g.llm_calls == 2;
  }
  EXPECT_NEAR(sum / 4000, 3, 4 * std::sqrt(6.0 / 4000)) << "variance (1 - p) / p^2 = 6";
  EXPECT_NEAR(once / 4000, 1.0 / 3, 4 * std::sqrt(2.0 / 9 / 4000));
}

// On an idle pool parts beside each other cost little more than one, and begin with the same words.
TEST(Graph, PartsOfAPoolRunSideBySide) {
  const auto parts = [](const std::string& count) {
    return Ran(
        behind("gateway:\n  - {policy: graph, nodes: [{name: outline, output_tokens: 64}, {name: part, after: "
               "[outline], parts: " +
                   count + ", output_tokens: 200}]}\n",
               one_request));
  };
  const Ran one = parts("1");
  const Ran eight = parts("8");
  EXPECT_LT(e2e_of(eight), 1.2 * e2e_of(one));
  EXPECT_GT(graph_of(eight).node_time_s, 6 * (graph_of(one).node_time_s - 1));
  EXPECT_EQ(eight.recorder.requests().front().output_tokens, 8 * 200) << "one after the other they are the answer";
  // The outline's replica has computed the request's 600 tokens and made 64: 41 whole blocks of 16 of the parts'
  // prompts, of which the last token's block is computed anew only where the prompt ends in it.
  EXPECT_GE(eight.summary.gateway.graph_nodes[1].cached_tokens_mean, 640);
}

TEST(Graph, StreamedAtOnceWhereItIsPlain) {
  const Ran plain(behind(""));
  const Ran graph(behind("gateway:\n  - {policy: graph, nodes: [{name: all}]}\n"));
  for (std::size_t i = 0; i < 400; ++i) {
    EXPECT_EQ(plain.recorder.requests()[i].first_token_s, graph.recorder.requests()[i].first_token_s);
    EXPECT_EQ(plain.recorder.requests()[i].finish_s, graph.recorder.requests()[i].finish_s);
  }
}

const std::string fan_out =
    "gateway:\n  - {policy: graph, nodes: [{name: a, parts: 3}, {name: b, pool: slow, after: [a]}]}\n";

TEST(Graph, WhatIsOnItsWayAtTheEndIsUnfinished) {
  const Ran ran(behind(fan_out, "", "until_s: 20\n"));
  EXPECT_GT(ran.summary.requests.unfinished, 0);
  EXPECT_EQ(ran.summary.requests.completed + ran.summary.requests.unfinished,
            static_cast<std::int64_t>(ran.recorder.requests().size()));
  EXPECT_EQ(ran.recorder.gateway_requests().size(), ran.recorder.requests().size());
}

TEST(Graph, ClientsGiveUpWhereverTheirRequestIs) {
  const Ran ran(behind(fan_out,
                       "    requests: 300\n    arrivals: {poisson: {requests_per_s: 8}}\n    prompt_tokens: {fixed: "
                       "500}\n    output_tokens: {exponential: {mean: 60}}\n  client_timeout_s: 1.5\n"));
  EXPECT_GT(ran.summary.requests.timed_out, 0);
  EXPECT_EQ(ran.summary.requests.timed_out + ran.summary.requests.completed, 300);
}

TEST(Graph, OneRefusedPassIsTheEndOfAll) {
  const Ran ran(
      behind("gateway:\n"
             "  - {policy: api_tier, name: api, takes_all: true, concurrency: 2, attempts: 1}\n"
             "  - {policy: graph, nodes: [{name: a, parts: 3}]}\n"));
  EXPECT_EQ(ran.summary.requests.shed, 400) << "three at a time are one too many";
  EXPECT_EQ(ran.summary.gateway.graph->requests, 0);
}

TEST(Graph, EachPassIsToldAsItsNodes) {
  const Ran ran(behind(fan_out));
  std::map<std::string, int> llm_calls;
  for (const auto& row : ran.events.all) llm_calls[row.kind + " " + row.what] += 1;
  EXPECT_EQ(llm_calls["node a"], 1200);
  EXPECT_EQ(llm_calls["node b"], 400);
  ASSERT_TRUE(ran.summary.gateway.graph);
  EXPECT_EQ(ran.summary.gateway.graph->requests, 400);
}

}  // namespace servecast::graph_test
