#pragma once
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast::made_up {

/// A run of ten seconds on two replicas, small enough to work out by hand.
inline RunFacts facts() {
  return {.name = "small",
          .seed = 7,
          .version = "0.1.0",
          .workload = "made up",
          .duration_s = 10,
          .steps = 3,
          .slo = {{.ttft_s = 1, .tpot_s = 0.5, .target_fraction = 0.5}},
          .pools = {{.name = "chat",
                     .llm = "tiny",
                     .gpu = "slow",
                     .replicas = 2,
                     .gpus = 2,
                     .usd_per_gpu_hour = 3,
                     .gpu_idle_w = 50,
                     .totals = {.busy_s = 5, .kv_block_s = 400, .kv_blocks_max = 80, .preemptions = 1},
                     .kv_blocks_per_replica = 100,
                     .energy_j = 1000}},
          .classes = {"plain", "urgent"},
          .node_overhead_j = 100,
          .rests_on = {{.pool = "chat",
                        .latency_model = "roofline",
                        .fitted_range = "1 to 64 tokens",
                        .extrapolated_fraction = 0.125,
                        .notes = {"constants guessed"}}},
          .settings = R"({"seed": 7, "rate": 0.1234567890123})"};
}

inline std::vector<RequestRecord> requests() {
  using enum RequestStatus;
  const auto id = [](unsigned i) { return static_cast<RequestId>(i); };
  return {{.id = id(4),
           .arrival_s = 5,
           .scheduled_s = 5.5,
           .first_token_s = 6,
           .finish_s = 7,
           .prompt_tokens = 20,
           .output_tokens = 3,
           .status = completed},
          {.id = id(0),
           .arrival_s = 0,
           .scheduled_s = 0.5,
           .first_token_s = 1,
           .finish_s = 3,
           .prompt_tokens = 100,
           .output_tokens = 5,
           .preemptions = 1,
           .status = completed},
          {.id = id(1),
           .arrival_s = 1,
           .scheduled_s = 1,
           .first_token_s = 1.25,
           .finish_s = 1.25,
           .prompt_tokens = 50,
           .output_tokens = 1,
           .replica = ReplicaId{1},
           .status = completed},
          {.id = id(2), .arrival_s = 2, .prompt_tokens = 999, .status = rejected},
          {.id = id(3),
           .arrival_s = 4,
           .scheduled_s = 6,
           .first_token_s = 7,
           .prompt_tokens = 30,
           .output_tokens = 2,
           .replica = ReplicaId{1},
           .status = unfinished}};
}

inline Recorder recorder(const SloFacts& slo = facts().slo, const KeepRequests& keep = {}) {
  Recorder r(1, keep);
  r.set_slo(slo);
  for (const RequestRecord& request : requests()) r.request(request);
  r.close();
  return r;
}

}  // namespace servecast::made_up
