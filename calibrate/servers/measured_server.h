#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "calibrate/servers/regimes.h"

namespace servecast {

/// What can be compared. The order is that of the page.
enum class ServerFigure {
  e2e_mean,
  e2e_p90,
  ttft_mean,
  ttft_p50,
  ttft_p99,
  tpot_mean,
  tpot_p99,
  output_tokens_per_s,
  prompt_tokens_per_s,
  highest_rate,
  kv_transfer_mean,
  host_hit_fraction,
  start,
  start_imports,
  start_gpu_load,
  start_engine_init,
  wake,
};
struct FigureName {
  ServerFigure figure;
  const char* title;
};
inline constexpr FigureName figure_names[]{{ServerFigure::e2e_mean, "E2E mean"},
                                           {ServerFigure::e2e_p90, "E2E P90"},
                                           {ServerFigure::ttft_mean, "TTFT mean"},
                                           {ServerFigure::ttft_p50, "TTFT P50"},
                                           {ServerFigure::ttft_p99, "TTFT P99"},
                                           {ServerFigure::tpot_mean, "TPOT"},
                                           {ServerFigure::tpot_p99, "TPOT P99"},
                                           {ServerFigure::output_tokens_per_s, "output tokens/s"},
                                           {ServerFigure::prompt_tokens_per_s, "prompt tokens/s"},
                                           {ServerFigure::highest_rate, "highest valid rate"},
                                           {ServerFigure::kv_transfer_mean, "KV transfer"},
                                           {ServerFigure::host_hit_fraction, "found in CPU memory"},
                                           {ServerFigure::start, "start"},
                                           {ServerFigure::start_imports, "image and imports"},
                                           {ServerFigure::start_gpu_load, "into GPU memory"},
                                           {ServerFigure::start_engine_init, "engine"},
                                           {ServerFigure::wake, "waking"}};

constexpr const char* title_of(ServerFigure figure) {
  for (const FigureName& name : figure_names)
    if (name.figure == figure) return name.title;
  return "";
}

struct Measurement {
  ServerFigure figure{};
  double value = 0;  // seconds, tokens/s, or requests/s
};

/// A part of a run with figures of its own.
struct MeasuredStage {
  std::string title{};          // e.g. "8 req/s"
  std::string request_class{};  // in the forecast's report; empty: the run as a whole
  Regime regime{};
  std::string system{};    // within the regime: model, GPU and engine
  bool warm = true;        // not the first minutes of a server, no KV offload
  bool saturated = false;  // more came than it could serve: clients gave up, and only answered requests were measured
  std::int64_t prompt_tokens = 0;  // of every request in the mean, where its load is open
  double output_tokens = 0;        // of every request
  std::vector<Measurement> measured{};
};

/// Of a server whose highest rate is looked for: bounds that P99 keeps at it, and how it is tried.
struct RateLimits {
  double ttft_s = 0;
  double tpot_s = 0;
  double near_rate = 0;   // as measured
  double duration_s = 0;  // of arrivals at each rate
};

/// Of loads in stages of 20 to 60 s, whose arrivals scatter as much as servers differ.
inline constexpr int draws_of_short_stages = 5;

/// A real server and the scenario that says the same.
struct MeasuredServer {
  std::string name{};      // of the run
  std::string file{};      // that has it, and its first line there
  std::size_t line = 0;
  std::string model{};     // what is left out when constants are fitted on the others
  std::string engine{};    // bundled engine profile
  std::string gpu{};       // bundled
  bool experts = false;    // a mixture of experts
  const char* layout = "one";  // see ServedPool
  const char* load = "closed";  // likewise
  int draws = 1;                // of its load, whose mean is the forecast: several where stages are short
  bool error_fit = false;      // errors of engines are fitted on it (read/error_split.h)
  bool fitting = false;    // terms of engines may be fitted on it (read/split.h); the others are for the report alone
  int pools = 1;           // of the scenario, each with this engine
  std::string scenario{};  // YAML text; the engine is set from outside
  bool interval = true;    // may have one: false where others say the same in less time
  std::optional<RateLimits> limits{};
  std::vector<std::string> settings{};  // `--set` on top of the scenario
  std::vector<MeasuredStage> stages{};
};

/// A row that is sound, but of something of which no forecast can be made.
struct ExcludedRow {
  std::string file{};
  std::size_t line = 0;  // 0: all of the file
  std::string why{};
};

/// What a file of measurements holds.
struct ReadServers {
  std::vector<MeasuredServer> servers{};
  std::vector<ExcludedRow> left_out{};
};

/// vLLM under inference-perf: vllm_h100_open_loop.csv. What really ran: a fixed set of 100 prompts in a cycle,
/// Poisson gaps scaled to fill the stage, outputs of exactly output_len tokens.
ReadServers open_loop_servers(const std::string& file);
/// Fixed lengths and concurrency, AIConfigurator's sample: closed_loop_h100.csv, aic_silicon_*.csv.
ReadServers closed_loop_servers(const std::string& file);
/// The same, InferenceMAX's own results: inferencemax_*.csv.
ReadServers inference_max_servers(const std::string& file);
/// TensorRT-LLM, all requests at once: trtllm_offline_*.csv, trtllm_*_offline.csv.
ReadServers offline_servers(const std::string& file);
/// The same by GPU and layout: trtllm_1.2_perf_overview.csv.
ReadServers offline_overview_servers(const std::string& file);

/// Several vLLM servers behind a router, in stages: llmd_router_ladder_h100.csv.
ReadServers router_ladder_servers(const std::string& file);
/// The same with KV in CPU memory: llmd_kv_offload_h100.csv.
ReadServers kv_tier_servers(const std::string& file);
/// The same with prefill and decode apart: llmd_pd_gptoss120b_h200.csv.
ReadServers routed_apart_servers(const std::string& file);
/// Prompts alone, one at a time: llmd_peak_prefill_throughput.csv.
ReadServers lone_prompt_servers(const std::string& file);
/// The same, with wide expert parallelism: deepseek_v3_wide_ep_h100.csv.
ReadServers wide_expert_servers(const std::string& file);
/// Submissions to MLPerf Inference, Server, Interactive and Offline: mlperf_v5.1_llm.csv.
ReadServers mlperf_servers(const std::string& file);
/// KV from a prefill to a decode engine, transfer by transfer: mooncake_kv_transfer_pd.csv.
ReadServers kv_transfer_servers(const std::string& file);
/// A server's start, phase by phase: coldstart_vllm_h100_phases.csv.
ReadServers cold_start_servers(const std::string& file);

/// All of a folder's, in this order; UserError where it has none of these files, or no row that can be forecast.
ReadServers all_servers(const std::string& folder);

}  // namespace servecast
