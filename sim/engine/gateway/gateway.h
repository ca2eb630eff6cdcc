#pragma once
#include <map>
#include <memory>
#include <queue>
#include <tuple>
#include <vector>

#include "sim/engine/gateway/gateway_journey.h"
#include "sim/engine/links/replica_at.h"
#include "sim/report/record/gateway_totals.h"

namespace servecast {

struct DetailListener;
struct Scenario;

/// Runs the scenario's gateway stages on every request, sends passes to pools and outside APIs, and puts the answers
/// together. Knows no SimGrid and no replica: `next_s()` says when something is due, `act_due()` does it.
///
/// Within one instant, journeys take turns by the ids of their requests.
class Gateway {
 public:
  /// What it asks of whoever runs it.
  class Exits {
   public:
    virtual ~Exits() = default;
    /// The pass leaves for its pool.
    virtual void send_pass(const Request& pass) = 0;
    /// The client has its answer, or knows that it gets none; `now_s` is no earlier than that.
    virtual void answered(const Request& as_it_came, const RequestRecord& record, const GatewayRecord& gateway,
                          double now_s) = 0;
  };
  Gateway(const Scenario& scenario, Exits& exits, DetailListener* detail);

  /// A request arrives at its arrival_s, which is not in the past.
  void accept(const Request& request);
  double next_s() const { return events_.empty() ? forever : events_.top().at_s; }
  /// Nobody waits for an answer, and nothing goes on for somebody who has one. Something may still be due, in vain.
  bool idle() const { return journeys_.empty(); }
  void act_due(double now_s);

  /// A pass that was sent to a pool has ended. Tells the id of the pass only.
  void pass_done(const Request& pass, const RequestRecord& record, double now_s);
  /// KV that a pass gets from another pool's replica before it starts.
  struct KvSource {
    ReplicaAt from{};
    std::int64_t tokens = 0;
  };
  std::optional<KvSource> kv_for(RequestId pass) const;

  /// The end of the run: from now on nothing is due any more, and what ends is told at once.
  void close() { closing_ = true; }
  /// Requests that came by then and are still on their way have no answer.
  void abandon(double end_s);

  GatewayFacts facts() const;

 private:
  static constexpr double forever = Request::forever;
  enum class What : std::uint8_t {
    stage,
    verdict,
    leave,
    ask_api,
    pass_end,
    memory,
    late,
    give_up,
    task_leave,
    task_asks_api,
    task_end
  };
  struct Event {
    double at_s = 0;
    RequestId journey{};
    What what{};
    std::uint32_t turn = 0;                     // of late: the pass; of what concerns tasks: which
    bool operator<(const Event& other) const {  // the earliest on top
      return std::tie(at_s, journey, what, turn) > std::tie(other.at_s, other.journey, other.what, other.turn);
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
  using Journey = GatewayJourney;
  struct Owner {  // of a pass
    RequestId journey{};
    std::optional<std::uint32_t> task{};
  };

  void push(Journey& j, What what, double at_s);
  void act(const Event& event);
  void run_stages(Journey& j, double now_s);
  void ask_verdicts(Journey& j, double now_s);
  void start_pass(Journey& j, double now_s);
  void shape_pass(Journey& j);
  Request pass_request(const Journey& j, double now_s) const;
  void note_dispatch(Journey& j, TargetId target, double now_s) const;
  void ask_api(Journey& j, double now_s);
  RequestRecord api_record(const Journey& j, const ApiReply& reply, std::int64_t output_tokens, double sent_s) const;
  void pay(Journey& j, Target& target, double usd) const;
  void end_pass(Journey& j, double now_s);
  void late(Journey& j, double now_s);
  void fall_back(Journey& j, double now_s);
  void conclude(Journey& j, RequestStatus status, double now_s);
  RequestRecord put_together(const Journey& j, RequestStatus status, double now_s) const;
  void charge(Journey& j, std::size_t stage, double delay_s, double usd, double now_s, std::string_view kind);
  double score_factor(const Journey& j) const { return std::min(1.0, j.of.quality_factor); }
  std::optional<double> expected_score(const Journey& j) const;
  // Requests worked out in several passes (gateway_graphs.cpp):
  void start_graph(Journey& j, const TaskGraph& graph, double now_s);
  void act_on_task(Journey& j, const Event& event);
  void send_task(Journey& j, std::uint32_t number, double now_s);
  Request task_request(const Journey& j, std::uint32_t number, RequestId id, double now_s) const;
  void ask_api_for(Journey& j, std::uint32_t number, double now_s);
  void task_done(Journey& j, std::uint32_t number, const RequestRecord& record, double now_s);
  void end_task(Journey& j, std::uint32_t number, double now_s);
  void end_graph(Journey& j, double now_s);
  void tell_task(const Journey& j, const GraphRun::Task& task, double now_s);
  void count_graph(const GraphRun& graph);
  // Requests that became jobs (gateway_jobs.cpp):
  void await_workers(Journey& j, std::size_t stage, const GatewayStep& step, double now_s);
  void start_jobs(std::size_t stage, double now_s);
  void job_over(Journey& j, double now_s);
  static void judge_deadline(Journey& j, const RequestRecord& told, double now_s);
  ReplicaAt replica_at(ReplicaId replica) const;
  void extend_blocks(Journey& j) const;

  const Scenario& scenario_;
  Exits& exits_;
  DetailListener* detail_;
  std::vector<Stage> stages_;
  std::vector<Target> targets_;
  bool watches_ = false;  // some stage sees answers
  bool goes_on_ = false;  // some stage's passes go on from the one before
  bool closing_ = false;
  std::vector<NodeFacts> nodes_;           // of graphs
  std::map<RequestId, Journey> journeys_;  // by the id of the request
  std::map<RequestId, Owner> passes_;      // those with ids of their own, and those of graphs
  std::uint32_t next_pass_;
  std::priority_queue<Event> events_;
};

}  // namespace servecast
