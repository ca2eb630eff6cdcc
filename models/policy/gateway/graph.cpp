// Gateway "graph": a request is worked out in several LLM calls, each of which waits for those whose answers it
// needs: independent parts side by side and an LLM call that joins them, stages in a row (draft, check, answer),
// agents that call tools and come back (decomposition as in "Skeleton-of-Thought", arXiv 2307.15337; agent loops as
// in ReAct, arXiv 2210.03629).
//
// Wins where the parts are long, independent of each other, and the pool has room for all at once: then the makespan
// is that of the longest part and of the join, not the sum, since a sequence's own pace hardly depends on how many
// decode beside it. Loses where the pool is busy (the same tokens wait for each other), where parts are short (each
// pays for a prompt of its own: the token overhead), and where one part needs another's words. A prompt is, in this
// order: the share of the request's, the answers of all nodes before, the node's own words. So siblings have the same
// beginning, which a prefix cache computes once; with a share below one it is another text in each node.
//
// Nodes of one LLM call start at the instant at which the last answer that they need is there. How often an agent
// comes back is drawn when the request arrives, geometrically; what its tools take likewise. The answer is that of
// the node after which none comes; where it has parts, theirs one after the other.
#include <cmath>

#include "models/base/names.h"
#include "models/policy/gateway.h"
#include "models/policy/stages/graph_node.h"

namespace servecast {
namespace {

class Graph final : public GatewayPolicy, private TaskPlanner {
 public:
  struct Settings {
    std::vector<GraphNode> nodes{};
    std::string streamed;
    void fields(Fields& f) {
      f.list("nodes", nodes, "what is to be done", true);
      f.field("streamed", streamed,
              "node whose words the client reads as they come, of its first part where it has several; left out: the "
              "last one");
    }
  };
  explicit Graph(const Settings& settings)
      : settings_(settings),
        order_(problems_of(settings.nodes).empty() ? levels_of(settings.nodes) : GraphLevels{}) {}

  std::vector<SettingProblem> problems() const override {
    std::vector<SettingProblem> all = problems_of(settings_.nodes);
    if (settings_.streamed.empty()) return all;
    const auto names = nodes();
    if (std::ranges::find(names, settings_.streamed) == names.end())
      all.push_back({"streamed", unknown_name("node", settings_.streamed, names)});
    return all;
  }
  std::vector<NamedTarget> targets() const override {
    std::vector<NamedTarget> all;
    for (std::size_t i = 0; i < settings_.nodes.size(); ++i)
      if (!settings_.nodes[i].pool.empty())
        all.push_back({"nodes[" + std::to_string(i) + "].pool", settings_.nodes[i].pool});
    return all;
  }
  bool sees_answers() const override { return true; }  // of its LLM calls
  void prepare(const GatewayContext& context) override {
    for (const GraphNode& node : settings_.nodes)
      targets_.push_back(node.pool.empty() ? std::nullopt : std::optional(context.target(node.pool)));
  }
  const TaskPlanner* planner() const override { return this; }

  StageAction arrive(const StageInput& input) override {
    StageAction step{.graph = TaskGraph{}};
    std::vector<std::vector<std::uint32_t>> answers(settings_.nodes.size());  // by node: those of its parts
    for (const std::size_t node : order_.order)
      for (std::int64_t part = 0; part < settings_.nodes[node].parts; ++part)
        answers[node].push_back(add_part(input, *step.graph, node, answers));
    step.graph->streamed = answers[streamed_node()].front();
    return step;
  }

 private:
  std::vector<std::string> nodes() const override {
    std::vector<std::string> names;
    for (const GraphNode& node : settings_.nodes) names.push_back(node.name);
    return names;
  }
  std::int64_t width() const override { return order_.width; }
  bool streams() const override { return !settings_.streamed.empty(); }

  std::size_t streamed_node() const {
    const auto found = std::ranges::find(settings_.nodes, settings_.streamed, &GraphNode::name);
    return found == settings_.nodes.end() ? order_.order.back()
                                          : static_cast<std::size_t>(found - settings_.nodes.begin());
  }

  static std::int64_t share(double fraction, std::int64_t tokens) {
    return static_cast<std::int64_t>(std::llround(fraction * static_cast<double>(tokens)));
  }

  /// Its LLM calls; the last of them has its answer.
  std::uint32_t add_part(const StageInput& input, TaskGraph& graph, std::size_t index,
                         const std::vector<std::vector<std::uint32_t>>& answers) const {
    const GraphNode& node = settings_.nodes[index];
    const Request& request = input.outgoing.request;
    Subtask task{.node = static_cast<std::uint32_t>(index),
                 .target = targets_[index].value_or(input.outgoing.target)};
    for (const std::string& name : node.after)
      for (const std::uint32_t before : answers[node_called(name, settings_.nodes)]) task.after.push_back(before);
    const auto self = static_cast<std::uint32_t>(graph.tasks.size());
    const bool whole = node.prompt_fraction == 1;
    if (whole) task.prompt.push_back({.source = TextPiece::Source::request, .tokens = request.prompt_tokens});
    for (const std::uint32_t before : task.after)
      task.prompt.push_back({TextPiece::Source::answer, before, graph.tasks[before].output_tokens});
    const std::int64_t some = whole ? 0 : share(node.prompt_fraction, request.prompt_tokens);
    task.prompt.push_back({TextPiece::Source::own, self, node.prompt_tokens + some});
    if (task.prompt_tokens() == 0) task.prompt.back().tokens = 1;
    task.output_tokens = node.output_tokens.value_or(
        std::max<std::int64_t>(1, share(node.output_fraction.value_or(1), request.output_tokens)));
    return node.repeat ? add_rounds(input, graph, std::move(task), *node.repeat) : add(graph, std::move(task));
  }

  static std::uint32_t add(TaskGraph& graph, Subtask task) {
    graph.tasks.push_back(std::move(task));
    return static_cast<std::uint32_t>(graph.tasks.size() - 1);
  }

  /// Rounds that end in a tool call, then the LLM call that answers. Each begins with all that was said before.
  static std::uint32_t add_rounds(const StageInput& input, TaskGraph& graph, Subtask task,
                                  const GraphRounds& rounds) {
    const std::int64_t answer_tokens = task.output_tokens;
    task.output_tokens = rounds.round_tokens;
    for (std::int64_t done = 0;
         done == 0 || (done < rounds.most_rounds && input.rng.uniform() >= 1 / rounds.rounds_mean); ++done) {
      const std::uint32_t round = add(graph, task);
      task.after = {round};
      task.tool_s = rounds.tool.median_s * (rounds.tool.sigma > 0 ? input.rng.lognormal(0, rounds.tool.sigma) : 1);
      task.prompt.push_back({TextPiece::Source::answer, round, rounds.round_tokens});
      task.prompt.push_back({TextPiece::Source::own, round + 1, rounds.result_tokens});
    }
    task.output_tokens = answer_tokens;
    return add(graph, std::move(task));
  }

  Settings settings_;
  GraphLevels order_;
  std::vector<std::optional<TargetId>> targets_{};  // by node; none: where the request would go
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Graph>(
    "graph", "a request is worked out in several LLM calls: parts side by side, chains, agents with tools");

}  // namespace
}  // namespace servecast
