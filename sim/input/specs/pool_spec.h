#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/memory/memory_plan.h"
#include "models/policy/admission.h"
#include "models/policy/autoscaler.h"
#include "models/policy/batcher.h"
#include "models/policy/early_exit.h"
#include "models/policy/eviction.h"
#include "models/policy/kv_cache.h"
#include "models/policy/migration.h"
#include "models/policy/placement.h"
#include "models/policy/queue.h"
#include "models/policy/router.h"
#include "models/policy/speculative.h"
#include "sim/input/specs/expert_spec.h"
#include "sim/input/specs/scaling_spec.h"

namespace servecast {

/// Where step times come from.
struct LatencySpec {
  std::string model = "auto";
  std::string tables;
  std::string profile;
  std::string moe_backend = "auto";
  std::string dependent_launches = "auto";
  std::optional<std::int64_t> cuda_graph_max_tokens{};

  void fields(Fields& f) {
    f.field("model", model,
            "profile: measured kernels; roofline: constants of the GPU file; table: look-up tables; auto: the GPU's "
            "profile "
            "where there is one that knows the model's kernels, else roofline",
            {"auto", "profile", "roofline", "table"});
    f.field("tables", tables, "folder of lookup tables, for model: table");
    f.field("profile", profile,
            "bundled kernel profile or the path of a YAML file; left out: the GPU's for the engine, or for vLLM");
    f.field("moe_backend", moe_backend,
            "kernels of routed experts, where the profile has those of several (TensorRT-LLM moe_config.backend); "
            "auto: the fastest for each shape",
            {"auto", "cutlass"});
    f.field(
        "dependent_launches", dependent_launches,
        "whether each kernel starts while the one before ends (TensorRT-LLM TRTLLM_ENABLE_PDL, off by default before "
        "1.2); auto: as the engine does",
        {"auto", "on", "off"});
    f.field("cuda_graph_max_tokens", cuda_graph_max_tokens,
            "largest step run as a CUDA graph (vLLM max_cudagraph_capture_size, SGLang --cuda-graph-max-bs); 0: all "
            "eager (vLLM --enforce-eager); left out: as the engine does",
            {.min = 0, .max = 65536});
  }
};

/// What becomes of a sequence whose blocks are wanted by others.
struct PreemptionSpec {
  std::string mode = "recompute";
  double swap_space_bytes = 4.0 * 1024 * 1024 * 1024;

  void fields(Fields& f) {
    f.field("mode", mode,
            "recompute: it goes back to the queue and everything is computed again; swap: its blocks are copied to "
            "the host and back, while there is room",
            {"recompute", "swap"});
    f.field("swap_space_bytes", swap_space_bytes, "host memory per GPU for mode: swap (vLLM: 4 GiB)", positive);
  }
};

/// A tier of KV memory below the GPUs'.
struct KvTierSpec {
  std::string kind;
  double capacity_bytes = 0;
  std::string write = "through";
  Choice<Eviction> eviction{"lru"};

  void fields(Fields& f) {
    f.required(
        "kind", kind,
        "host: DRAM, of each replica; nvme: its node's disks, likewise; shared: one pool of DRAM over the nodes "
        "of all replicas, read over the network",
        {"host", "nvme", "shared"});
    f.required("capacity_bytes", capacity_bytes, "of each replica; shared: in all", positive);
    f.field("write", write, "through: as soon as a block is computed; on_evict: when it leaves the tier above",
            {"through", "on_evict"});
    f.group("eviction", eviction, "what leaves when it is full");
  }
};

/// Where KV blocks go that leave the GPUs' memory, and when they come back.
struct KvTiersSpec {
  std::string fetch = "if_faster";
  bool prefetch = true;
  bool layer_wise = false;
  std::vector<KvTierSpec> levels{};

  void fields(Fields& f) {
    f.field("fetch", fetch,
            "if_faster: only what takes less time to fetch than to compute, with nothing else under way; always: all "
            "that is there",
            {"if_faster", "always"});
    f.field("prefetch", prefetch,
            "fetch as soon as a request arrives, where there is room for its blocks; else when it is its turn");
    f.field("layer_wise", layer_wise,
            "a prompt is computed while its fetch runs, each layer when its own KV has come; else when all has");
    f.list("levels", levels, "the tiers, fastest first; none: what leaves the GPUs' memory is lost");
  }
};

/// Layers of a model that run on the host's processor, as llama.cpp splits a model.
struct HostLayersSpec {
  std::int64_t layers = 0;
  std::string device;
  std::string which = "first";

  void fields(Fields& f) {
    f.field("layers", layers, "how many; 0: all are on the GPU");
    f.field("device", device, "the processor: a bundled device (`servecast list gpus`) or the path of a YAML file");
    f.field("which", which, "first: as llama.cpp does with --n-gpu-layers; last: those that early exits skip",
            {"first", "last"});
  }
};

/// LoRA adapters in GPU memory.
struct LoraSpec {
  std::int64_t slots = 8;
  std::int64_t rank = 16;
  std::string modules = "all";

  void fields(Fields& f) {
    f.field("slots", slots, "adapters that a replica holds at a time (vLLM: max_loras)", {.min = 1, .max = 65536});
    f.field("rank", rank, "of every adapter", {.min = 1, .max = 1024});
    f.field("modules", modules, "attention: its four products; all: those of dense MLPs, too", {"attention", "all"});
  }
};

/// How tokens reach experts that are spread over GPUs.
struct ExpertExchangeSpec {
  std::int64_t redundant_experts = 0;
  std::string kernels = "high_throughput";
  bool two_batch_overlap = false;

  void fields(Fields& f) {
    f.field("redundant_experts", redundant_experts, "copies of experts, over all GPUs of the replica");
    f.field(
        "kernels", kernels,
        "DeepEP's: high_throughput, for prompts: a token goes once to each node; low_latency, for decodes: to each "
        "of its experts; nvlink: TensorRT-LLM's, within one NVLink domain; all_gather: NCCL gives all tokens to all "
        "GPUs, and sums what they make of them",
        {"high_throughput", "low_latency", "nvlink", "all_gather"});
    f.field("two_batch_overlap", two_batch_overlap,
            "the batch is computed in two halves, and one computes while the other is sent");
  }
};

/// One entry of `pools:`.
struct PoolSpec {
  std::string name;
  std::string llm;
  std::string engine = "vllm-0.15";
  std::string sampling = "auto";
  std::string weights = "auto";
  std::string attention_weights = "auto";
  std::string expert_weights = "auto";
  std::string kv_cache_dtype = "auto";
  std::string gpu;
  std::string group{};
  std::int64_t replicas = 1;
  std::int64_t tensor_parallel = 1;
  std::int64_t pipeline_parallel = 1;
  std::int64_t expert_parallel = 1;
  std::int64_t data_parallel = 0;
  ExpertExchangeSpec expert_exchange{};
  std::optional<ExpertBalanceSpec> expert_balance{};
  std::optional<double> power_cap_w{};
  std::optional<double> usd_per_gpu_hour{};
  std::string start = "warm";
  std::string first_use = "warmed_up";
  std::int64_t tokenizer_workers = 1;
  std::int64_t stream_interval = 1;
  MemoryOverrides memory{};
  LatencySpec latency{};
  Choice<Batcher> batcher{"vllm_v1"};
  Choice<WaitingQueue> queue{"fcfs"};
  Choice<KvCache> kv_cache{"paged"};
  KvTiersSpec kv_tiers{};
  PreemptionSpec preemption{};
  std::optional<ExpertOffloadSpec> expert_offload{};
  Choice<Router> router{"least_loaded"};
  Choice<Placement> placement{"colocated"};
  Choice<Migration> migration{"none"};
  Choice<Admission> admission{"none"};
  Choice<Autoscaler> autoscaler{"none"};
  std::optional<ScalingSpec> scaling{};
  Choice<Speculation> speculative{"none"};
  Choice<EarlyExit> early_exit{"none"};
  HostLayersSpec host_layers{};
  std::optional<LoraSpec> lora{};
  double signal_delay_s = 0;

  /// Replicas come and go with load.
  bool scales() const { return autoscaler.policy() != "none"; }
  /// How sequences speculate: by themselves, or because the first layers draft.
  std::unique_ptr<Speculation> speculation() const {
    auto own = early_exit.make()->self_drafting();
    return own ? std::move(own) : speculative.make();
  }

  void fields(Fields& f) {
    f.required("name", name, "name of the pool, as reports show it");
    f.required("llm", llm, "bundled model (`servecast list llms`) or the path of a HuggingFace config.json");
    f.field(
        "engine", engine,
        "serving engine: a bundled name (`servecast list engines`) or the path of a YAML file; none: kernels alone");
    f.field("sampling", sampling,
            "how tokens are drawn; top-p and top-k sort the vocabulary. auto: as the model's generation_config asks",
            {"auto", "greedy", "plain", "topk_topp"});
    f.field(
        "weights", weights,
        "data type of all linear layers' weights. auto: as the model is published (its quantization_config); fp8: "
        "scaled per tensor or channel, fp8_block: per 128 x 128; int8, int4 and mxfp4 are weight-only, the others "
        "quantise activations too; mxfp4, w4a8_mxfp4 and w4a8 are of the experts alone, the rest is bf16",
        data_type_names());
    f.field("attention_weights", attention_weights, "data type of attention's; auto: as 'weights' says",
            data_type_names());
    f.field("expert_weights", expert_weights, "data type of the routed experts'; auto: as 'weights' says",
            data_type_names());
    f.field("kv_cache_dtype", kv_cache_dtype, "data type of the KV cache; auto: bf16",
            {"auto", "bf16", "fp16", "fp8"});
    f.required("gpu", gpu, "bundled GPU (`servecast list gpus`) or the path of a YAML file");
    f.field(
        "group", group,
        "group of nodes that carries it; left out: the first whose nodes have its GPU, and room for all replicas");
    f.field("replicas", replicas, "independent copies of the model", {.min = 1, .max = 131072});
    f.field("tensor_parallel", tensor_parallel, "GPUs that share every layer: of one node, or several whole ones",
            at_least_one);
    f.field("pipeline_parallel", pipeline_parallel, "groups of layers on GPUs of their own", at_least_one);
    f.field("expert_parallel", expert_parallel,
            "groups of GPUs over which whole routed experts are spread; the GPUs of a group slice them, as with 1 "
            "all do. "
            "A multiple of tensor_parallel makes as many ranks of it where data_parallel leaves that open",
            at_least_one);
    f.field(
        "data_parallel", data_parallel,
        "of a model with experts: ranks of tensor_parallel GPUs that attend to requests of their own and share the "
        "experts (vLLM --data-parallel-size, SGLang --dp-size with --enable-dp-attention); the batcher's limits are "
        "those of all ranks. 0: expert_parallel / tensor_parallel, at least one",
        {.min = 0, .max = 1024});
    f.group("expert_exchange", expert_exchange,
            "with expert_parallel: copies of experts, and with several ranks how tokens reach them");
    f.group(
        "expert_balance", expert_balance,
        "with expert_parallel: experts that are not wanted equally often, so that all GPUs wait longer for the "
        "fullest; left out: as kernel tables of trained routers have them, else all are, and it is the fullest by "
        "chance");
    f.field("power_cap_w", power_cap_w, "limit per GPU; left out: the GPU's own", positive);
    f.field("usd_per_gpu_hour", usd_per_gpu_hour, "price; left out: the GPU file's");
    f.field("start", start, "cold: weights are first loaded from shared storage", {"warm", "cold"});
    f.field("first_use", first_use,
            "what its engine's steps have to wait for when they first use some kernels. warmed_up: nothing, earlier "
            "requests have used them; loaded: processes have just started, and load them from their cache; compiled: "
            "that is empty. Replicas that start in the run load or compile, too",
            {"warmed_up", "loaded", "compiled"});
    f.field("tokenizer_workers", tokenizer_workers,
            "tokenisers of each replica, which take one prompt at a time (vLLM --api-server-count, SGLang "
            "--tokenizer-worker-num, TensorRT-LLM --num_serve_frontends). 0: no prompt waits for another, as with "
            "Dynamo, which tokenises on many threads, or where prompts come as tokens",
            {.min = 0, .max = 1 << 10});
    f.field("stream_interval", stream_interval,
            "tokens of a piece in which answers leave, but for the first token, which is one (vLLM, SGLang "
            "--stream-interval, TensorRT-LLM stream_interval): the front end is busy with each piece. 0: answers are "
            "not streamed",
            {.min = 0, .max = 1 << 20});
    f.group("memory", memory, "how GPU memory is divided");
    f.group("latency", latency, "where step times come from");
    f.group("batcher", batcher, "what each step computes");
    f.group("queue", queue, "which waiting request is next");
    f.group("kv_cache", kv_cache, "which sequence holds which KV blocks");
    f.group("kv_tiers", kv_tiers, "host memory, disks and a shared pool that keep what the GPUs have no room for");
    f.group("preemption", preemption, "what happens where blocks run short");
    f.group("expert_offload", expert_offload,
            "experts of a mixture that are partly in host memory or on disk; left out: all are in the GPUs' memory");
    f.group("router", router, "which replica serves a request");
    f.group("placement", placement, "which replicas compute prompts and which decode");
    f.group("migration", migration, "which sequences move to another replica while they decode");
    f.group("admission", admission, "which requests are taken on");
    f.group("autoscaler", autoscaler, "how many of the replicas serve");
    f.group("scaling", scaling, "with an autoscaler: how replicas come and go");
    f.group("speculative", speculative, "drafts of the next tokens, checked several at a time");
    f.group("early_exit", early_exit, "tokens that leave the model before its last layer");
    f.group("host_layers", host_layers, "layers that the host computes, where the GPU has no room for them");
    f.group("lora", lora, "adapters that requests name (workload: adapters); left out: none are served");
    f.field("signal_delay_s", signal_delay_s,
            "router and admission see load as it was at the last multiple of this; 0: as it is");
  }
};

}  // namespace servecast
