#pragma once
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engine/gateway/request_context.h"
#include "sim/engine/links/replica_at.h"
#include "sim/report/record/gateway_totals.h"

namespace servecast {

struct DetailListener;
struct Scenario;

/// Runs the scenario's gateway stages on every request, sends LLM calls to pools and outside APIs, and puts the
/// answers together. Knows no SimGrid and no replica: `next_s()` says when something is due, `act_due()` does it.
///
/// Within one instant, requests take turns by their ids.
class Gateway {
 public:
  /// What it asks of the run.
  class Callbacks {
   public:
    virtual ~Callbacks() = default;
    /// The LLM call leaves for its pool.
    virtual void send_call(const Request& call) = 0;
    /// The client has its answer, or knows that it gets none; `now_s` is no earlier than that.
    virtual void answered(const Request& original, const RequestRecord& record, const GatewayRecord& gateway,
                          double now_s) = 0;
  };
  Gateway(const Scenario& scenario, Callbacks& callbacks, DetailListener* detail);

  /// A request arrives at its arrival_s, which is not in the past.
  void accept(const Request& request);
  double next_s() const { return events_.empty() ? forever : events_.top().at_s; }
  /// No client waits for an answer, and no call goes on for one that has it. An event may still be due, in vain.
  bool idle() const { return contexts_.empty(); }
  void act_due(double now_s);

  /// An LLM call that was sent to a pool has ended. Of `call` only the id counts.
  void call_done(const Request& call, const RequestRecord& record, double now_s);
  /// KV that an LLM call gets from another pool's replica before it starts.
  struct KvSource {
    ReplicaAt from{};
    std::int64_t tokens = 0;
  };
  std::optional<KvSource> kv_for(RequestId call) const;

  /// The end of the run: from now on nothing is due any more, and what ends is reported at once.
  void close() { closing_ = true; }
  /// Requests that came by then and are still on their way have no answer.
  void abandon(double end_s);

  /// After a run of so many seconds.
  GatewayFacts facts(double duration_s) const;

 private:
  static constexpr double forever = Request::forever;
  enum class EventKind : std::uint8_t {
    stage,
    verdict,
    leave,
    ask_api,
    call_end,
    memory,
    side_asks,
    side_done,
    late,
    give_up,
    task_leave,
    task_asks_api,
    task_end
  };
  struct Event {
    double at_s = 0;
    RequestId request{};
    EventKind what{};
    std::uint32_t turn = 0;                     // of late: the LLM call; of what concerns tasks: which
    bool operator<(const Event& other) const {  // the earliest on top
      return std::tie(at_s, request, what, turn) > std::tie(other.at_s, other.request, other.what, other.turn);
    }
  };
  struct Stage {
    std::unique_ptr<GatewayPolicy> policy{};
    Rng rng;
    GatewayStageFacts facts{};
    JobQueue* jobs = nullptr;
  };
  struct Target {
    TargetFacts facts{};
    ApiTier* api = nullptr;  // else a pool
    Rng rng;
  };
  struct Owner {  // of an LLM call
    RequestId request{};
    std::optional<std::uint32_t> task{};
    bool side = false;
  };

  void push(RequestContext& context, EventKind what, double at_s);
  void act(const Event& event);
  void run_stages(RequestContext& context, double now_s);
  bool take(RequestContext& context, std::size_t stage, const StageAction& step, double now_s);
  void ask_verdicts(RequestContext& context, double now_s);
  void start_call(RequestContext& context, double now_s);
  void shape_call(RequestContext& context);
  Request call_request(const RequestContext& context, double now_s) const;
  void note_dispatch(RequestContext& context, TargetId target, std::int64_t prompt_tokens, double now_s) const;
  void ask_api(RequestContext& context, double now_s);
  RequestRecord api_record(const RequestContext& context, const ApiReply& reply, std::int64_t output_tokens,
                           double sent_s) const;
  void pay(RequestContext& context, Target& target, double usd) const;
  void end_call(RequestContext& context, double now_s);
  void late(RequestContext& context, double now_s);
  void fall_back(RequestContext& context, double now_s);
  void conclude(RequestContext& context, RequestStatus status, double now_s);
  RequestRecord put_together(const RequestContext& context, RequestStatus status, double now_s) const;
  void charge(RequestContext& context, std::size_t stage, double delay_s, double usd, double now_s,
              std::string_view kind);
  double score_factor(const RequestContext& context) const { return std::min(1.0, context.outgoing.quality_factor); }
  std::optional<double> expected_score(const RequestContext& context) const;
  // Requests worked out in several LLM calls (gateway_graphs.cpp):
  void start_graph(RequestContext& context, const TaskGraph& graph, double now_s);
  void act_on_task(RequestContext& context, const Event& event);
  void send_task(RequestContext& context, std::uint32_t number, double now_s);
  Request task_request(const RequestContext& context, std::uint32_t number, RequestId id, double now_s) const;
  void ask_api_for(RequestContext& context, std::uint32_t number, double now_s);
  void task_done(RequestContext& context, std::uint32_t number, const RequestRecord& record, double now_s);
  void end_task(RequestContext& context, std::uint32_t number, double now_s);
  void end_graph(RequestContext& context, double now_s);
  void report_task(const RequestContext& context, const GraphRun::Task& task, double now_s);
  void count_graph(const GraphRun& graph);
  // Requests that became jobs (gateway_jobs.cpp):
  void await_workers(RequestContext& context, std::size_t stage, const StageAction& step, double now_s);
  void start_jobs(std::size_t stage, double now_s);
  void job_over(RequestContext& context, double now_s);
  static void judge_deadline(RequestContext& context, const RequestRecord& answer, double now_s);
  // LLM calls that stages need before a request goes on (gateway_sides.cpp):
  void start_side(RequestContext& context, std::size_t stage, const SideCall& call, double since_s, double now_s);
  void ask_side_api(RequestContext& context, double now_s);
  void side_called(RequestContext& context, const RequestRecord& record, double at_s, double now_s);
  void end_side(RequestContext& context, double now_s);
  ReplicaAt replica_at(ReplicaId replica) const;
  void extend_blocks(RequestContext& context) const;

  const Scenario& scenario_;
  Callbacks& callbacks_;
  DetailListener* detail_;
  std::vector<Stage> stages_;
  std::vector<Target> targets_;
  bool watches_ = false;  // some stage sees answers
  bool goes_on_ = false;  // some stage's LLM calls go on from the one before
  bool closing_ = false;
  std::vector<NodeFacts> nodes_;                  // of graphs
  std::map<RequestId, RequestContext> contexts_;  // by the id of the request
  std::map<RequestId, Owner> calls_;              // those with ids of their own, and those of graphs
  std::uint32_t next_call_;
  std::priority_queue<Event> events_;
  double acted_s_ = 0;  // the time of the event at hand
};

}  // namespace servecast
