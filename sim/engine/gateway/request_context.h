#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <vector>

#include "models/base/record.h"
#include "models/policy/gateway.h"
#include "sim/engine/gateway/graph_run.h"

namespace servecast {

/// A request between its arrival at the gateway and its answer.
struct RequestContext {
  static constexpr std::size_t no_stage = std::numeric_limits<std::size_t>::max();

  Request original{};
  GatewayRequest outgoing{};
  std::vector<PolicyNote> notes{};  // by stage
  std::size_t stages = 0;           // that were asked when it arrived
  std::size_t holder = no_stage;    // the first stage that holds answers back
  std::size_t verdicts = 0;         // stages that still have to judge the answer
  std::uint32_t turn = 0;           // events of earlier turns are void
  GatewayRecord record{};

  // The LLM call under way.
  bool calling = false;
  bool in_pool = false;  // it has not come back from there, though it may be late
  RequestId call_id{};
  double sent_s = 0;
  double call_usd = 0;
  std::int64_t attempt = 0;        // of an API
  std::optional<NextCall> next{};  // what it was asked for with; none: the first
  std::size_t asked_by = no_stage;
  RequestRecord call_record{};      // how it ended
  std::vector<BlockHash> blocks{};  // of its prompt and output, where later LLM calls go on from them

  /// The LLM call that a stage needs before the request goes on.
  struct Side {
    std::size_t stage = 0;
    SideCall call{};
    double since_s = 0;  // the stage has had the request
    double sent_s = 0;
    std::int64_t attempt = 0;  // of an API
    double usd = 0;
    RequestRecord record{};  // how it ended
  };
  std::optional<Side> side{};
  bool main_sent =
      false;  // the first LLM call that is to answer has left: its steps are reported as the request's own

  std::unique_ptr<GraphRun> graph{};  // several LLM calls instead of one

  // Where it is a job.
  std::optional<Job> job{};
  bool has_place = false;     // in a stage's queue or on its workers
  std::size_t queued_at = 0;  // that stage
  double job_since_s = 0;     // it waits, or has workers

  double dispatched_from_s = 0;  // its arrival, or its start as a job

  // What there is of an answer.
  std::optional<GatewayAnswer> answer{};
  RequestRecord answer_record{};
  bool answer_seen = false;  // the client has it already
  std::optional<StageAction::Answer> from_memory{};
  std::optional<double> first_token_s{};
  std::optional<double> scheduled_s{};
  std::int64_t cached_tokens = 0;
  std::uint32_t preemptions = 0;
  bool reported = false;  // an LLM call goes on in vain
};

}  // namespace servecast
