#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/base/ids.h"

namespace servecast {

/// How a request ended. Rejected: no replica could ever hold it; shed: turned away for the load at that time (HTTP
/// 429); lost: the replica that served it failed, and no retry followed.
enum class RequestStatus : std::uint8_t { completed, rejected, shed, timed_out, unfinished, lost };

/// Everything that is kept about one request; one row of requests.csv. Times are seconds from the start of the run.
struct RequestRecord {
  RequestId id{};
  double arrival_s = 0;
  std::optional<double> scheduled_s{};  // first time in a batch
  std::optional<double> first_token_s{};
  std::optional<double> finish_s{};
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;  // made by the end of the run, of each sample
  std::int64_t cached_tokens = 0;  // prompt tokens found in the KV cache
  PoolId pool{};
  ReplicaId replica{};
  ClassId request_class{};
  std::optional<ReplicaId> decode_replica{};  // where another replica decoded it than computed its prompt
  std::optional<double> prompt_end_s{};       // its prompt was computed, for another replica to decode
  std::optional<double> hand_over_s{};        // from the end of its prompt to its KV's arrival there
  std::uint32_t preemptions = 0;
  std::uint16_t samples = 1;  // outputs made side by side
  RequestStatus status = RequestStatus::unfinished;
  bool first_use = false;  // it waited for kernels that nothing had used before
  bool off_pools = false;  // answered by the gateway's own memory or by an outside API: no replica had it
};

/// A request that was worked out in several LLM calls, to its end.
struct GraphRecord {
  double makespan_s = 0;   // from its first LLM call's start to the end of its last
  double node_time_s = 0;  // of all LLM calls, tools before them included, one after the other
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
  std::int64_t plain_prompt_tokens = 0;  // of the request as it would have gone out in one LLM call
  std::int64_t plain_output_tokens = 0;
};

/// A request that became a job.
struct JobRecord {
  bool refused = false;
  bool dropped = false;              // cancelled at its deadline
  double acknowledged_s = 0;         // from its arrival
  std::optional<double> waited_s{};  // for workers; none: it never had any
  double worker_s = 0;               // its parts by the time that it had them
  std::optional<bool> kept{};        // its deadline; none: it had none, or the run ended before
};

/// What the gateway adds to what is kept about a request.
struct GatewayRecord {
  RequestId id{};
  ClassId request_class{};
  std::uint16_t answered_by = no_target;  // a TargetId, or one of the two below
  std::uint16_t llm_calls = 0;            // that were sent to pools or APIs
  double gateway_s = 0;                   // time in its stages
  double usd = 0;                         // of its stages and of outside APIs
  std::optional<double> score{};          // expected of the answer
  std::optional<double> dispatch_s{};     // until its first LLM call was with its target; of a job, since its start
  bool completed = false;
  std::optional<GraphRecord> graph{};
  std::optional<JobRecord> job{};

  static constexpr std::uint16_t no_target = 0xffff;
  static constexpr std::uint16_t memory = 0xfffe;
};

/// One stage's work on one request, or one LLM call; one row of gateway.csv.
struct GatewayEvent {
  RequestId id{};
  std::string_view what{};  // a stage, the target of the LLM call, or the node of a graph
  std::string_view kind{};  // "stage", "accepted", "verdict", "call", "node"
  double start_s = 0;
  double end_s = 0;
  double usd = 0;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// One batch on one replica, from its start to its end; one row of steps.csv.
struct StepRecord {
  ReplicaId replica{};
  PoolId pool{};
  double start_s = 0;
  double end_s = 0;
  std::int64_t decode_sequences = 0;       // sequences that make one token each
  std::int64_t prefill_sequences = 0;      // chunks of prompts
  std::int64_t prefill_tokens = 0;         // tokens in those chunks
  std::int64_t emitted_tokens = 0;         // output tokens the step makes: decodes and finished prefills
  std::int64_t used_blocks = 0;            // KV blocks held during the step
  double energy_j = 0;                     // of the replica's GPUs during the step
  std::optional<double> beside_until_s{};  // where steps share GPUs: until then another one counts as using them
  std::optional<double> busy_s{};          // likewise over several stages: how long only this one counts
};

/// One sequence's share of a step.
struct StepMember {
  RequestId id{};
  std::int64_t tokens = 0;
};

}  // namespace servecast
