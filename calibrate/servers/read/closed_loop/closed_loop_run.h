#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/read/published.h"

namespace servecast {

class CsvRow;

inline constexpr double seconds_of_ms = 1e-3;
inline constexpr std::int64_t requests_per_client = 10;  // where no script says so; the first of all clients at once
inline constexpr double inference_max_shortest = 0.8;    // of the nominal lengths: RANDOM_RANGE_RATIO of its client

/// How the GPUs of one instance share the model, as a row states it.
struct RowShape {
  std::int64_t attention_tp = 1;
  std::int64_t attention_dp = 1;
  std::int64_t moe_tp = 1;
  std::int64_t moe_ep = 1;
  std::int64_t stages = 1;

  std::int64_t gpus() const { return attention_tp * attention_dp * stages; }
};

/// Clients that each ask so often, with lengths uniform from a share of the nominal ones up: the scenario's workload.
struct ClosedLoopLoad {
  std::int64_t clients = 0;
  std::int64_t prompt_tokens = 0;  // nominal
  std::int64_t output_tokens = 0;
  double shortest = 1;
  std::int64_t rounds = requests_per_client;
  std::int64_t distinct_prompts = 0;  // asked in a cycle; 0: no prompt is asked twice
};
std::string workload_text(const ClosedLoopLoad& load);

/// Drafts for each sequence (multi-token prediction), and the chance of each to be taken over.
struct RunDrafts {
  std::int64_t count = 0;
  double acceptance = 0;
};
/// A pool's line of them; empty where there are none.
std::string draft_settings(const RunDrafts& drafts);

/// A closed loop as any of the files tells it, in words of its own.
struct ClosedLoopRun {
  std::string id{};
  BundledGpu gpu{};
  BundledLlm llm{};
  std::string weights{};
  std::string backend{};  // vllm, sglang or trtllm
  std::string version{};
  std::string measured_on{};  // "2026-04-22"; empty: not said
  RowShape shape{};
  ClosedLoopLoad load{};
  std::int64_t waiting_clients = 0;  // always: TTFT grows by a whole answer over the number of clients
  std::string first_use{};           // as PoolSpec's; empty: its default
  RunDrafts drafts{};
  bool inference_max = false;        // the benchmark's public scripts say how the server was set up
  std::vector<Measurement> measured{};
};

/// Of a row that names shapes: tp_size, attention_dp_size, moe_tp_size, moe_ep_size, pp_size, with `prefix` before.
/// In AIConfigurator's sample a size of k x k with experts over k x k means k GPUs with whole experts on each: of
/// attention split by tensors where tp_size is k x k, of requests where attention_dp_size is. So does k in both with
/// experts over k x k, attention split by tensors: these rows' ids say "tp4_ep4", and requests wait as the KV of k
/// GPUs makes them. Throws NoMatch where
/// the sizes contradict each other.
RowShape row_shape(const CsvRow& row, const std::string& prefix = "");

/// "tensor_parallel: ..." and what else a pool says of its shape, each line indented by four. Throws NoMatch where a
/// model without experts is to spread some.
std::string shape_settings(const RowShape& shape, const BundledLlm& llm);

/// How ranks with requests of their own send tokens to experts, a line of the pool; empty where they do not, and
/// where they do by DeepEP. vLLM: allgather_reducescatter, its default. TensorRT-LLM: its kernels over NVLink on
/// Blackwell from `nvlink_groups` groups of whole experts on, else NCCL.
std::string exchange_settings(const RowShape& shape, const BundledGpu& gpu, const std::string& engine,
                              std::int64_t nvlink_groups);
/// More groups than a token chooses experts (select_alltoall_method_type in TensorRT-LLM's modules/fused_moe).
std::int64_t nvlink_from(const BundledLlm& llm);
/// What a pool's `latency` says of kernels of experts, if anything: TensorRT-LLM's own in nvfp4, which it takes
/// unless told otherwise (moe_config.backend).
std::string cutlass_experts(const std::string& weights);
/// A pool's line of these and other entries, of which any may be empty; nothing where all are.
std::string latency_settings(std::vector<std::string> entries);

/// vLLM's batcher of the run's version.
std::string vllm_batcher(const ClosedLoopRun& run, std::int64_t tokens, std::int64_t sequences);
/// TensorRT-LLM's batcher, with `more` of its settings (", name: value"), and its KV cache.
std::string trtllm_batcher(bool overlap, std::int64_t sequences, std::int64_t tokens, const std::string& more = "");

/// Batcher, KV cache and memory of the pool: as InferenceMAX's scripts set its engine up.
std::string scripted_settings(const ClosedLoopRun& run);
/// InferenceMAX's results of before December 2025 do not say whether experts were whole, nor whether each rank had
/// requests of its own; its scripts do.
void set_scripted_shape(ClosedLoopRun& run);
/// Of InferenceMAX's runs before its client warmed servers up (pull request 339, of the end of 2025), by what their
/// P99 of TTFT says, where they have one: kernels that are compiled take more than a minute.
std::string first_use_of(const std::string& backend, std::optional<double> ttft_p99_s);
/// As AIConfigurator's generator did, and the load of its benchmark.
std::string generated_settings(const ClosedLoopRun& run);
/// Entries of the pool's `latency` besides.
std::string generated_graphs(const ClosedLoopRun& run);
void set_generated_load(ClosedLoopRun& run);

/// "0.5.6.post2" is from "0.5.6" on, and "1.0.0rc3" is not from "1.2" on.
bool is_from(std::string_view version, std::string_view first);

/// Tokens of one step of prompts where SGLang is not told: 8,192 on GPUs of 60 to 160 GB, 16,384 above
/// (server_args.py).
std::int64_t sglang_chunk(const BundledGpu& gpu);

/// Of DeepSeek's servers with TensorRT-LLM, in the scripts of InferenceMAX and on the page of 1.2, as settings of the
/// batcher (attention_dp_config).
inline constexpr const char* deepseek_rank_waits =
    ", attention_dp_enable_balance: true, attention_dp_timeout_iters: 60, attention_dp_batching_wait_iters: 0";

/// The bundled engine file that stands for a version. Throws NoMatch where none does.
std::string engine_file(const std::string& backend, const std::string& version);

/// "vllm/vllm-openai:v0.13.0" is 0.13.0.
std::string version_of_image(const std::string& image);

MeasuredServer closed_loop_server(const ClosedLoopRun& run);

/// Rows of the same files whose prefill and decode have workers of their own.
MeasuredServer disaggregated_server_of_sample(const CsvRow& row);
MeasuredServer disaggregated_server_of_inference_max(const CsvRow& row);

}  // namespace servecast
