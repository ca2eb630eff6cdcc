#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/policy/gateway.h"

namespace servecast {

/// How long a tool takes.
struct ToolTime {
  double median_s = 0.5;
  double sigma = 0.8;
  void fields(Fields& f) {
    f.field("median_s", median_s, "half of the calls take less");
    f.field("sigma", sigma, "standard deviation of the logarithm; 0: all take the same", {.min = 0, .max = 5});
  }
};

/// An agent that calls tools before it answers.
struct GraphRounds {
  double rounds_mean = 1.5;
  std::int64_t most_rounds = 20;
  std::int64_t round_tokens = 60;
  std::int64_t result_tokens = 300;
  ToolTime tool{};
  void fields(Fields& f) {
    f.field("rounds_mean", rounds_mean, "rounds with a tool call before the answer, in the mean", at_least_one);
    f.field("most_rounds", most_rounds, "after so many it must answer", at_least_one);
    f.field("round_tokens", round_tokens, "what the model writes in a round, tool call included", at_least_one);
    f.field("result_tokens", result_tokens, "what the tool says");
    f.group("tool", tool, "the tool itself");
  }
};

/// One thing to be done of what a request is taken apart into.
struct GraphNode {
  std::string name{};
  std::vector<std::string> after{};
  std::string pool{};
  std::int64_t parts = 1;
  double prompt_fraction = 1;
  std::int64_t prompt_tokens = 0;
  std::optional<double> output_fraction{};
  std::optional<std::int64_t> output_tokens{};
  std::optional<GraphRounds> repeat{};
  void fields(Fields& f) {
    f.required("name", name, "what other nodes call it");
    f.field("after", after, "names of the nodes whose answers it needs; left out: none");
    f.field("pool", pool, "pool or API tier; left out: where the request would go without the graph");
    f.field("parts", parts, "independent parts, all alike; a node after it needs all their answers",
            {.min = 1, .max = 1000});
    f.field("prompt_fraction", prompt_fraction, "share of the request's prompt in the prompt of each part", fraction);
    f.field("prompt_tokens", prompt_tokens, "what is said to each beside that and the answers before");
    f.field("output_fraction", output_fraction,
            "length of each part's answer, by the request's; 1 if output_tokens is left out, too", positive);
    f.field("output_tokens", output_tokens, "or its length in tokens", at_least_one);
    f.group("repeat", repeat, "tools that it calls before it answers; left out: none");
  }
};

/// Nodes so that each comes after those that it needs, and how many LLM calls there are side by side at most.
struct GraphLevels {
  std::vector<std::size_t> order{};
  std::int64_t width = 1;
};

/// Cycles, names that no node has or two have, nodes that no other needs; the settings' keys are within `nodes`.
std::vector<SettingProblem> problems_of(std::span<const GraphNode> nodes);

std::size_t node_called(const std::string& name, std::span<const GraphNode> nodes);

/// Of nodes without problems. Those of one level in the order in which they are written.
GraphLevels levels_of(std::span<const GraphNode> nodes);

}  // namespace servecast
