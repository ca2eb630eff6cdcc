#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/units.h"
#include "models/hw/engine/engine_profile.h"
#include "models/hw/latency/rank_loads.h"
#include "models/hw/latency/step_latency.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/memory/memory_plan.h"
#include "models/hw/profile/calibration_draw.h"
#include "models/hw/profile/transfer_law.h"
#include "models/hw/roofline/roofline.h"
#include "models/policy/batcher.h"
#include "models/policy/caches/adapter_slots.h"
#include "models/policy/experts/shared_experts.h"
#include "models/policy/kv_cache.h"
#include "models/policy/router.h"
#include "sim/input/library/ready_profiles.h"
#include "sim/input/scenario/gpu_places.h"
#include "sim/input/scenario/hardware_changes.h"
#include "sim/input/scenario/hardware_files.h"
#include "sim/input/scenario/node_groups.h"
#include "sim/input/scenario/node_use.h"
#include "sim/input/scenario/pool_shape.h"
#include "sim/input/specs/account_spec.h"
#include "sim/input/specs/cluster_spec.h"
#include "sim/input/specs/failure_spec.h"
#include "sim/input/specs/gateway_spec.h"
#include "sim/input/specs/pool_spec.h"
#include "sim/input/trace/workload/workload_spec.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// What a request must get to count as served well; a bound left out is not asked for.
struct SloBoundsSpec {
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  std::optional<double> e2e_s{};
  double target_fraction = 0.99;

  void fields(Fields& f) {
    f.field("ttft_s", ttft_s, "longest time to first token", positive);
    f.field("tpot_s", tpot_s, "longest mean time per output token after the first", positive);
    f.field("e2e_s", e2e_s, "longest time from arrival to last token", positive);
    f.field("target_fraction", target_fraction, "share of requests that must keep all bounds", fraction);
  }
  bool stated() const { return ttft_s || tpot_s || e2e_s; }
};

/// What one class of requests is promised, such as a tenant's.
struct ClassSloSpec : SloBoundsSpec {
  std::string request_class{};

  void fields(Fields& f) {
    f.required("class", request_class, "class of requests");
    SloBoundsSpec::fields(f);
  }
};

struct SloSpec : SloBoundsSpec {
  std::vector<ClassSloSpec> classes{};

  void fields(Fields& f) {
    SloBoundsSpec::fields(f);
    f.list("classes", classes, "classes that are promised something else, in place of these bounds");
  }
};

/// A scenario file, key by key.
struct ScenarioSpec {
  std::string name = "unnamed";
  std::vector<std::string> plugins{};
  std::int64_t seed = 1;
  std::int64_t calibration_draw = 0;
  double calibration_spread = 1;
  std::optional<double> until_s{};
  std::optional<std::int64_t> first_requests{};
  std::map<std::string, double> exchange_rates{};
  WorkloadSpec workload{};
  SloSpec slo{};
  ClusterSpec cluster{};
  HardwareChanges hardware{};
  std::optional<FailureSpec> failures{};
  std::vector<GatewaySpec> gateway{};
  std::vector<QualitySpec> quality{};
  std::vector<ReaderSpec> perceived{};
  std::optional<AccountSpec> account{};
  std::vector<PoolSpec> pools{};

  /// Nodes beside those of the cluster.
  std::int64_t spares() const {
    std::int64_t sum = failures ? failures->spares : 0;
    for (const NodeGroupSpec& group : cluster.groups) sum += group.spares;
    return sum;
  }

  void fields(Fields& f) {
    f.field("name", name, "title of the report");
    f.field("plugins", plugins,
            "libraries of policies that the scenario names: paths, or names of bundled or own ones");
    f.field("seed", seed, "seed of every random stream");
    f.field("calibration_draw", calibration_draw,
            "0: the best estimate; else that many-th draw of what the engines' calibration may be off by");
    f.field("calibration_spread", calibration_spread,
            "how much wider than its engine says that error is drawn; above 1, of steps alone");
    f.field("until_s", until_s, "stop the simulated clock here; left out: run until every request is done",
            {.min = 0, .max = longest_run_s, .above_min = true});
    f.field("first_requests", first_requests,
            "leave out what arrives by itself after so many requests; left out: all of the workload", at_least_one);
    f.named(
        "exchange_rates", exchange_rates,
        "dollars that one of another currency costs, by its ISO code: any amount may then be written like 2.30 EUR",
        positive);
    f.group("workload", workload, "what arrives");
    f.group("slo", slo, "what users are promised");
    f.group("cluster", cluster, "which machines, and how they are wired");
    hardware.fields(f);
    f.group("failures", failures, "what breaks while the run goes on; left out: nothing does");
    f.list("gateway", gateway,
           "stages in front of the pools, in the order in which a request passes them; none: requests go where the "
           "workload says");
    f.list("quality", quality,
           "how good the answers of each target are; left out: the report says nothing of quality");
    f.list("perceived", perceived, "readers of the answers; left out: the report says nothing of what they feel");
    f.group("account", account, "money, energy and carbon by what causes them; left out: no account is kept");
    f.list("pools", pools,
           "groups of like replicas: one model, one kind of GPU, one set of policies; none, and no cluster, where "
           "outside APIs of the gateway answer everything: the first one, or the one that its stages choose");
  }
};

/// What is worked out of a pool's `expert_offload`.
struct ExpertPlan {
  /// Another model that shares the slots, as it was made.
  struct Model {
    std::string name{};
    std::vector<bool> kept{};  // [layer * experts + expert]; empty: all
    std::int64_t experts = 0;  // of a layer
    std::optional<double> gained_points{};
  };
  ExpertShape shape{};            // of the pool's model
  SharedExperts shared{};         // of all models
  std::vector<Model> models{};    // the pool's first
  std::int64_t slots = 0;         // of each layer, in the GPUs' memory
  std::int64_t host_experts = 0;  // of all layers, in host memory
  double expert_bytes = 0;        // of all GPUs' slices together
  std::unique_ptr<RoutingData> data{};
  std::vector<RoutingTrace> profiles{};  // of each model, with experts numbered as the pool's

  std::int64_t experts() const { return static_cast<std::int64_t>(shared.all()); }  // different ones of a layer
};

/// One pool with everything looked up, sized and checked.
struct Pool {
  PoolSpec spec{};
  Llm llm{};
  Gpu gpu{};
  EngineProfile engine{};
  MemoryPlan memory{};
  KvGroups kv_groups{};  // of layers whose KV is kept apart; one: all are kept alike
  bool images = false;   // requests may bring some
  std::unique_ptr<StepLatency> latency{};
  std::string_view layout = "one";      // see ServedPool
  std::string_view load = "closed";     // likewise
  CalibrationDraw draw{};               // of its engine's error; the steps' factor is in `latency`
  std::string latency_source{};         // what the step times rest on, in words
  std::string fitted_range{};           // likewise; empty where nothing was fitted
  std::vector<std::string> notes{};     // what else a reader of the forecast should know
  std::size_t group = 0;                // of nodes, that carries it
  std::vector<ReplicaPlace> places{};   // by replica of this pool
  RankLoads rank_loads{};               // with expert_balance
  std::optional<ExpertPlan> experts{};  // where they are partly outside GPU memory
  std::optional<Llm> drafter{};         // where sequences speculate with a model on the GPUs
  AdapterSetup adapters{};
  TransferLaws transfers{};                      // of copies to and from its GPUs
  Gpu host{};                                    // with host_layers: the processor that runs them
  std::vector<std::int64_t> acceptance_trace{};  // of the file that `speculative` names

  std::optional<std::size_t> decode_pool{};  // the other pool that decodes what this one has computed
  double waiting_blocks_fraction = 1;        // of a pool that decodes for others: see Placement
  double proxy_s = 0;                        // of its placement: see Placement
  bool chunked_pipeline = false;             // likewise, of a pool that computes prompts
  bool decode_answers = false;               // likewise
  std::optional<ProfileUse> sized_by{};      // the measured kernels, where the pool is sized and has no `latency`

  /// How the model's layers are stored, "auto" looked up.
  WeightTypes weights() const {
    return weight_types({.all = spec.weights, .attention = spec.attention_weights, .experts = spec.expert_weights},
                        llm.published);
  }
  Shape shape() const { return servecast::shape(spec); }
  FirstUsePool first_use() const {
    return {.gpu = gpu.name, .latent_attention = llm.latent.has_value(), .state = spec.first_use};
  }
  std::int64_t gpus_per_replica() const { return shape().gpus(); }
  /// Whether the GPUs of a stage send to each other over such links. Each node of a stage has as many of them.
  bool sends(Reach reach) const;
  std::int64_t gpus() const { return spec.replicas * gpus_per_replica(); }
  /// On each GPU, in the mean of all its ranks' tokens; on each GPU of the rank that has it; of a replica's GPUs
  /// together.
  double kv_token_bytes_per_gpu() const { return memory.kv_pool_bytes / static_cast<double>(memory.kv_pool_tokens); }
  double kv_token_bytes_of_rank_gpu() const {
    return static_cast<double>(shape().ranks()) * kv_token_bytes_per_gpu();
  }
  double kv_token_bytes() const { return kv_token_bytes_per_gpu() * static_cast<double>(gpus_per_replica()); }
  /// From a request's arrival at the service to its arrival at the pool.
  double inbound_s(std::int64_t prompt_tokens) const { return engine.inbound_s(prompt_tokens) + proxy_s; }
  bool prompts_wait_for_tokenizers() const { return spec.tokenizer_workers > 0 && engine.request_token_s > 0; }
  /// A replica's cache.
  std::unique_ptr<KvCache> make_kv_cache() const {
    auto cache = spec.kv_cache.make();
    if (kv_groups.windowed > 0) cache->set_groups(kv_groups);
    // The last group of a kind takes the memory of a whole one.
    cache->resize(memory.kv_pool_tokens * llm.layers / std::max(llm.layers, kv_groups.groups * kv_groups.layers));
    return cache;
  }
  double power_cap_w() const { return spec.power_cap_w.value_or(gpu.power.cap_w); }  // of each GPU
  double usd_per_gpu_hour() const { return spec.usd_per_gpu_hour.value_or(gpu.usd_per_hour); }
};

/// A scenario ready to run.
struct Scenario {
  ScenarioSpec spec;
  NodeGroups groups;
  ReadyProfiles profiles{};
  std::vector<Pool> pools;
  std::map<std::int64_t, NodeUse> node_uses{};  // before anything moves to a spare
  std::vector<ChangedFigure> changed_hardware{};
  AnswerQuality quality{};
  std::string workload_text;             // what arrives, in words
  std::unique_ptr<WorkloadNotes> notes;  // what is learnt while the workload is read: class names, skipped rows
  std::unique_ptr<Workload> workload;    // a stream: one run uses it up

  const NodeGroup& group_of(const Pool& pool) const { return groups[pool.group]; }
};

}  // namespace servecast
