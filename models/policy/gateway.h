#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/registry.h"
#include "models/base/rng.h"
#include "models/policy/graph/answer_quality.h"
#include "models/policy/graph/job_queue.h"
#include "models/policy/graph/task_graph.h"
#include "models/policy/request.h"

namespace servecast {

/// A request on its way through the gateway, as its policies have made it so far.
struct GatewayRequest {
  Request request{};               // its prompt and its output are those of the next LLM call
  TargetId target{};               // that is to answer
  bool held = false;               // the client sees nothing of that answer until the gateway has judged it
  bool fixed = false;              // decided: later stages are not asked
  std::optional<bool> reviewed{};  // whether a draft is to be reviewed, where a policy has decided that
  std::optional<double> score{};   // expected of the target's answer, where more is known than the table says
  std::optional<double> review_score{};  // of the answer that a review gives, likewise
  double quality_factor = 1;       // what changes of the prompt leave of an answer's score

  /// The prompt becomes this long and is, beyond its first `same_tokens`, another text: no cache knows it.
  void rewrite_prompt(std::int64_t prompt_tokens, std::int64_t same_tokens);
};

inline void GatewayRequest::rewrite_prompt(std::int64_t prompt_tokens, std::int64_t same_tokens) {
  request.prompt_tokens = prompt_tokens;
  request.said_blocks = {};
  if (request.block_tokens == 0) return;
  const auto blocks = static_cast<std::size_t>(same_tokens / request.block_tokens);
  request.prefix_blocks = request.prefix_blocks.first(std::min(blocks, request.prefix_blocks.size()));
}

/// What a policy wants to remember of a request until its answer; one of each policy's own.
struct PolicyNote {
  std::int64_t number = 0;
  double value = 0;
};

/// One call of a policy.
struct StageInput {
  GatewayRequest& outgoing;
  PolicyNote& note;
  double now_s = 0;
  Rng& rng;  // the policy's own stream
};

/// An LLM call that a stage needs before its request goes on, of a text that no cache knows: a summary, an embedding.
struct SideCall {
  TargetId target{};
  std::int64_t prompt_tokens = 1;
  std::int64_t output_tokens = 1;
};

/// What a policy does with a request that arrives.
struct StageAction {
  double delay_s = 0;  // until the request goes on
  double usd = 0;
  struct Answer {
    std::int64_t output_tokens = 0;
    std::optional<double> score{};
  };
  std::optional<Answer> answer{};    // from the gateway's own memory: no target is asked
  std::optional<TaskGraph> graph{};  // the LLM calls that it is worked out in, instead of one
  std::optional<Job> job{};          // it goes on when the stage's queue says so
  std::optional<SideCall> call{};    // it goes on with resumed() when that is answered; alone, but for usd
};

/// The answer of one LLM call.
struct GatewayAnswer {
  TargetId target{};
  double first_token_s = 0;
  double finish_s = 0;
  std::int64_t output_tokens = 0;
  std::optional<double> score{};  // expected; none: not known
};

/// Another LLM call of the same request. Where it comes to nothing (turned away, too late), the answer before stands,
/// and the stages are asked about that one again.
struct NextCall {
  TargetId target{};
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  bool held = false;                 // as in GatewayRequest
  bool needed = false;               // what came before is no answer
  bool goes_on = false;              // its prompt begins with the one before and that one's answer
  std::int64_t kv_tokens = 0;        // leading ones whose KV comes from where the LLM call before was computed
  bool forget_prefix = false;        // nothing of its prompt may be found in a cache
  double late_s = Request::forever;  // from then on the answer before stands
  bool finish_late = false;          // it is computed to its end even so; else it is cancelled then
  std::optional<double> score{};
};

struct GatewayVerdict {
  double delay_s = 0;
  double usd = 0;
  std::optional<NextCall> again{};
  std::optional<double> score{};  // what is known of the answer by now
};

/// The names of all targets, and how good their answers are.
struct GatewayContext {
  std::vector<std::string> targets{};  // by TargetId
  const AnswerQuality& quality;
  std::function<ClassId(std::string_view)> class_id{};
  std::int64_t width = 1;  // LLM calls of a request at a time, as the stage that plans them says

  TargetId target(std::string_view name) const;  // which must be one of them
};

inline TargetId GatewayContext::target(std::string_view name) const {
  return static_cast<TargetId>(std::ranges::find(targets, name) - targets.begin());
}

/// A setting that names a target: a pool or an API tier.
struct NamedTarget {
  std::string key{};
  std::string name{};
};

/// What is wrong with a setting; without a key, with those of a stage taken together.
struct SettingProblem {
  std::string key{};
  std::string text{};
};

/// KV that goes from replicas of one pool to those of another, which must run the same model.
struct KvPath {
  std::string from{};
  std::string to{};
};

/// A number that only this policy knows, for the report.
struct PolicyCount {
  std::string name{};
  double value = 0;
};

/// An answer from outside: no GPU of ours is busy with it.
struct ApiReply {
  enum class Kind : std::uint8_t { answered, try_again, turned_away };
  Kind kind = Kind::answered;
  double retry_s = 0;  // when to ask again
  double first_token_s = 0;
  double finish_s = 0;
  double usd = 0;
};

/// An outside API that LLM calls can be sent to by its name.
class ApiTier {
 public:
  virtual ~ApiTier() = default;
  virtual const std::string& name() const = 0;
  /// What it costs by the hour beside its answers.
  virtual double usd_per_hour() const { return 0; }
  /// Called in the order of time; `attempt` counts from 0 for each LLM call.
  virtual ApiReply ask(const Request& request, std::int64_t attempt, double now_s, Rng& rng) = 0;
};

/// One stage of the gateway, in front of all pools. Stages are run in the scenario's order when a request arrives,
/// and in the opposite order when it has its answer. Each may take time and money, change the request, answer it,
/// choose its target, or ask for another LLM call.
class GatewayPolicy {
 public:
  static constexpr std::string_view kind = "gateway policy";
  static constexpr PolicyListing listing{"gateways", "stages in front of the pools"};
  virtual ~GatewayPolicy() = default;

  /// Asked once, when the scenario is loaded: what is wrong with the settings taken together.
  virtual std::vector<SettingProblem> problems() const { return {}; }
  /// The targets that it sends requests to. Each must be a pool or an API tier.
  virtual std::vector<NamedTarget> targets() const { return {}; }
  /// The targets whose scores it must know.
  virtual std::vector<NamedTarget> scored() const { return {}; }
  /// Asked once for every class of requests: what is wrong with the settings beside the table of scores.
  virtual std::vector<SettingProblem> problems_with(const GatewayContext&, ClassId) const { return {}; }
  /// The pools between which it has KV moved.
  virtual std::optional<KvPath> kv_path() const { return std::nullopt; }
  /// True: answered() is called, and the engine notices every answer when it is there.
  virtual bool sees_answers() const { return false; }

  /// What it looks at of a request beyond its size.
  virtual RequestNeeds needs() const { return {}; }

  /// Its requests go on as drafts, which a later stage must review.
  virtual bool wants_review() const { return false; }
  virtual bool reviews() const { return false; }

  /// It may ask for another LLM call when there is an answer.
  virtual bool asks_again() const { return false; }

  /// The one target whose answers it asks another LLM call after; none: any target's.
  virtual std::optional<std::string> again_after() const { return std::nullopt; }

  /// Its LLM calls may go on from the answer of the one before.
  virtual bool goes_on() const { return false; }

  /// Once, before the first request.
  virtual void prepare(const GatewayContext&) {}
  /// Once for every request on which no earlier stage has decided, in the order of time.
  virtual StageAction arrive(const StageInput& input) = 0;
  /// The LLM call that arrive() or resumed() asked for is answered.
  virtual StageAction resumed(const StageInput&) { return {}; }
  /// After every LLM call that was answered in full; later stages first. Once one asks for another LLM call, the
  /// others are not asked before that has ended.
  virtual GatewayVerdict answered(const StageInput&, const GatewayAnswer&) { return {}; }

  /// What it counted, at the end of the run.
  virtual std::vector<PolicyCount> counts() const { return {}; }
  /// The API that this stage stands for, if any.
  virtual ApiTier* api() { return nullptr; }
  /// How it has requests worked out in several LLM calls, if it does.
  virtual const TaskPlanner* planner() const { return nullptr; }
  /// Where requests wait that it has made jobs, if it does.
  virtual JobQueue* jobs() { return nullptr; }
};

}  // namespace servecast
