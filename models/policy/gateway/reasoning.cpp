// Gateway "reasoning": one target reasons step by step; a process reward model scores every step before the next one
// begins ("Let's verify step by step", arXiv 2305.20050; beams over steps as in arXiv 2408.03314).
//
// Each step has as many candidates as are written side by side; the reward model reads request and steps so far with
// each candidate, in an LLM call of one token on a pool of its own, and the best candidate goes on. The answer is
// written behind the last step. So reasoning costs candidates x steps x step_tokens of output, as many calls of the
// reward model as candidates, and a round trip to it for each step; a prefix cache in its pool saves it from reading
// the beginning again. Steps: PRM800K has 800,000 scored steps in 75,000 solutions, 10.7 each.
//
// Quality: an answer is right if all its steps are, each with the same probability, and the target alone is right as
// the table of scores says. A reward model with an AUC picks among candidates, of which some share stands or falls
// together (alike_fraction, assumed): with one candidate, or a model that guesses, nothing is gained.
#include <algorithm>
#include <cmath>

#include "models/policy/gateway.h"
#include "models/policy/stages/answer_truth.h"

namespace servecast {
namespace {

struct ReasoningSettings {
  std::string target;
  std::string reward;
  double steps_median = 10;
  double steps_sigma = 0.5;
  std::int64_t most_steps = 40;
  std::int64_t step_tokens = 50;
  std::int64_t candidates = 4;
  double reward_auc = 0.75;
  double alike_fraction = 0.5;
  void fields(Fields& f) {
    f.required("target", target, "pool or API tier that reasons; requests to others pass");
    f.required("reward", reward, "pool or API tier of the process reward model");
    f.field("steps_median", steps_median, "half of the requests take fewer steps", at_least_one);
    f.field("steps_sigma", steps_sigma, "standard deviation of the logarithm", {.min = 0, .max = 5});
    f.field("most_steps", most_steps, "after so many the answer is written", {.min = 1, .max = 1000});
    f.field("step_tokens", step_tokens, "length of a step", at_least_one);
    f.field("candidates", candidates, "steps that are written side by side, of which the best goes on",
            {.min = 1, .max = 64});
    f.field("reward_auc", reward_auc, "chance that a right step scores higher than a wrong one; 0.5: it guesses",
            {.min = SkilledSignal::least_auc, .max = SkilledSignal::most_auc});
    f.field("alike_fraction", alike_fraction, "share of steps whose candidates are all right or all wrong", fraction);
  }
};

class Reasoning final : public GatewayPolicy, private TaskPlanner {
 public:
  using Settings = ReasoningSettings;
  explicit Reasoning(const Settings& settings) : settings_(settings), reward_signal_(settings.reward_auc) {}

  std::vector<NamedTarget> targets() const override {
    return {{"target", settings_.target}, {"reward", settings_.reward}};
  }
  bool sees_answers() const override { return true; }  // of its LLM calls
  void prepare(const GatewayContext& context) override {
    quality_ = &context.quality;
    target_ = context.target(settings_.target);
    reward_ = context.target(settings_.reward);
  }
  const TaskPlanner* planner() const override { return this; }

  StageAction arrive(const StageInput& input) override {
    if (input.outgoing.target != target_) return {};
    const double drawn = settings_.steps_median * input.rng.lognormal(0, settings_.steps_sigma);
    const auto most = static_cast<double>(settings_.most_steps);
    const auto steps = static_cast<std::int64_t>(std::clamp(std::round(drawn), 1.0, most));
    steps_ += steps;
    ++requests_;
    judge(input, steps);
    return {.graph = graph_of(input.outgoing.request, steps)};
  }
  std::vector<PolicyCount> counts() const override {
    return {{"requests", static_cast<double>(requests_)}, {"steps", static_cast<double>(steps_)}};
  }

 private:
  enum Node : std::uint32_t { step_node, reward_node, answer_node };
  std::vector<std::string> nodes() const override { return {"step", "reward", "answer"}; }
  std::int64_t width() const override { return settings_.candidates; }
  bool streams() const override { return false; }
  std::optional<std::string> only_for() const override { return settings_.target; }

  TaskGraph graph_of(const Request& request, std::int64_t steps) const {
    TaskGraph graph;
    std::vector<TextPiece> said{{.source = TextPiece::Source::request, .tokens = request.prompt_tokens}};
    std::vector<std::uint32_t> scored;
    for (std::int64_t i = 0; i < steps; ++i) scored = add_step(graph, said, scored);
    graph.streamed = add(graph, {.node = answer_node,
                                 .target = target_,
                                 .prompt = said,
                                 .output_tokens = request.output_tokens,
                                 .after = scored});
    return graph;
  }

  /// Its candidates and their scores, for which the next step waits. The first stands for the one that goes on.
  std::vector<std::uint32_t> add_step(TaskGraph& graph, std::vector<TextPiece>& said,
                                      const std::vector<std::uint32_t>& before) const {
    std::vector<std::uint32_t> written;
    for (std::int64_t c = 0; c < settings_.candidates; ++c)
      written.push_back(add(graph, {.node = step_node,
                                    .target = target_,
                                    .prompt = said,
                                    .output_tokens = settings_.step_tokens,
                                    .after = before}));
    std::vector<std::uint32_t> scored;
    for (const std::uint32_t candidate : written) {
      std::vector<TextPiece> read = said;
      read.push_back({TextPiece::Source::answer, candidate, settings_.step_tokens});
      scored.push_back(add(graph, {.node = reward_node,
                                   .target = reward_,
                                   .prompt = std::move(read),
                                   .output_tokens = 1,
                                   .after = {candidate}}));
    }
    said.push_back({TextPiece::Source::answer, written.front(), settings_.step_tokens});
    return scored;
  }

  static std::uint32_t add(TaskGraph& graph, Subtask task) {
    graph.tasks.push_back(std::move(task));
    return static_cast<std::uint32_t>(graph.tasks.size() - 1);
  }

  /// Whether the answer is right, where it is known how often that is so without a reward model.
  void judge(const StageInput& input, std::int64_t steps) const {
    const auto alone =
        input.outgoing.score ? input.outgoing.score : quality_->score(target_, input.outgoing.request.request_class);
    if (!alone) return;
    const double step_right = stable::pow(*alone, 1 / static_cast<double>(steps));
    bool right = true;
    for (std::int64_t i = 0; i < steps; ++i) right = best_is_right(step_right, input.rng) && right;
    input.outgoing.score = right ? 1.0 : 0.0;
  }
  bool best_is_right(double often, Rng& rng) const {
    const bool alike = rng.uniform() < settings_.alike_fraction;
    bool right = rng.uniform() < often;
    bool best = right;
    double highest = reward_signal_.draw(right, rng);
    for (std::int64_t c = 1; c < settings_.candidates; ++c) {
      if (!alike) right = rng.uniform() < often;
      const double signal = reward_signal_.draw(right, rng);
      if (signal > highest) best = right;
      highest = std::max(highest, signal);
    }
    return best;
  }

  Settings settings_;
  SkilledSignal reward_signal_;
  const AnswerQuality* quality_ = nullptr;
  TargetId target_{};
  TargetId reward_{};
  std::int64_t requests_ = 0;
  std::int64_t steps_ = 0;
};

[[maybe_unused]] const bool added = Registry<GatewayPolicy>::add<Reasoning>(
    "reasoning", "a target reasons step by step; a process reward model on a pool of its own scores every step");

}  // namespace
}  // namespace servecast
