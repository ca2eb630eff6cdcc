#pragma once
#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/base/ids.h"
#include "models/base/totals.h"
#include "sim/report/record/failure_facts.h"
#include "sim/report/record/gateway_totals.h"
#include "sim/report/record/scaling_facts.h"

namespace servecast {

// What the report has to know about a run beside its records. The engine and the command line fill it in.

/// Bounds that a request shall keep; what is not stated binds no request.
struct SloBounds {
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  std::optional<double> e2e_s{};
  std::optional<double> target_fraction{};  // share of requests that shall keep every bound; nothing where none binds

  bool stated() const { return ttft_s || tpot_s || e2e_s; }
  void fields(Fields& f) {
    f.figure("ttft_s", ttft_s, "bound on the time to first token");
    f.figure("tpot_s", tpot_s, "bound on the time per output token");
    f.figure("e2e_s", e2e_s, "bound on the whole time");
    f.figure("target_fraction", target_fraction, "share of its requests that shall keep all bounds");
  }
  bool operator==(const SloBounds&) const = default;
};

/// What users are promised: some classes of requests their own bounds, all others these.
struct SloFacts : SloBounds {
  struct OfClass {
    ClassId request_class{};
    SloBounds bounds{};
    bool operator==(const OfClass&) const = default;
  };
  std::vector<OfClass> classes{};

  bool names(ClassId request_class) const { return &of(request_class) != this; }
  const SloBounds& of(ClassId request_class) const {
    const auto own = std::ranges::find(classes, request_class, &OfClass::request_class);
    return own == classes.end() ? *this : own->bounds;
  }
  bool operator==(const SloFacts&) const = default;
};

/// One tier of a pool's KV memory, its replicas together: the GPUs' own first, under the name "gpu".
struct KvTierFacts {
  std::string tier{};
  std::int64_t hit_tokens = 0;  // of prompts, that were here when a request was admitted or fetched them
  double fetched_bytes = 0;     // from here to the GPUs
  double written_bytes = 0;
  double evicted_bytes = 0;
  bool operator==(const KvTierFacts&) const = default;
};

/// Answer quality that stand-ins for missing experts are forecast to cost.
struct QualityFacts {
  double lost_fraction = 0;
  double least_fraction = 0;
  double most_fraction = 0;
  bool extrapolated = false;
  std::string source{};
};

/// One of several models that share the slots of a pool.
struct ExpertModelFacts {
  std::string name{};
  std::int64_t experts = 0;      // of a layer
  std::int64_t own_experts = 0;  // of these, that no other model has
  ExpertTotals::Model totals{};
  std::optional<double> lost_points{};  // by pruning and untuned stand-ins; absent where that is not known
  double most_points = 0;
  bool extrapolated = false;
  std::string source{};
};

/// A pool whose experts are partly elsewhere, its replicas together.
struct ExpertFacts {
  double cache_fraction = 0;  // of a layer's experts, in GPU memory
  ExpertTotals totals{};
  QualityFacts quality{};
  std::vector<ExpertModelFacts> models{};  // empty unless there are several
  double shared_bytes = 0;                 // more that the models would take with no weights in common
};

/// What one change of a pool's model costs in answers.
struct AnswerLossFacts {
  std::string change{};                 // "weights int4"; "width pruned, then distilled"
  std::optional<double> lost_points{};  // of a benchmark's score in percent; absent where it is not published
  double least_points = 0;
  double most_points = 0;
  bool extrapolated = false;
  std::string source{};
};

/// How deep a pool's decode steps went, where tokens leave early.
struct EarlyExitFacts {
  std::int64_t model_layers = 0;
  double layers_per_token = 0;  // in the mean
  ExitTotals totals{};
  std::optional<double> lost_points{};  // published: of a benchmark's score in percent
  std::string accuracy_source{};
};

/// One pool: what it is, and what it added up to. Sums run over its replicas and from 0 to the run's duration.
struct PoolFacts {
  std::string name{};
  std::string llm{};
  std::string gpu{};
  std::int64_t replicas = 0;
  std::int64_t tensor_parallel = 1;  // GPUs that one step keeps busy at a time
  std::int64_t pipeline_parallel = 1;
  std::int64_t gpus = 0;                // of all replicas
  std::optional<double> rented_gpus{};  // mean over the run, where replicas come and go
  double usd_per_gpu_hour = 0;
  double gpu_idle_w = 0;           // what one GPU draws while no step runs on it
  std::int64_t max_sequences = 0;  // that may run on one replica
  bool closed_loop = false;        // its clients wait for their answers before they ask again
  std::int64_t tokenizers = 0;     // of each replica, that prompts wait for
  double tokenizing_s = 0;         // of the tokenisers of all replicas together

  ReplicaTotals totals{};
  std::int64_t kv_blocks_per_replica = 0;
  std::vector<KvTierFacts> kv_tiers{};   // empty where there is nothing below the GPUs' memory
  std::optional<ExpertFacts> experts{};  // where they are partly elsewhere
  std::optional<DraftTotals> drafts{};   // where sequences speculate
  std::optional<EarlyExitFacts> early_exit{};
  std::vector<AnswerLossFacts> answer_losses{};
  std::optional<std::int64_t> adapter_slots{};  // of each replica, where requests name LoRA adapters
  double energy_j = 0;                          // of its GPUs, idle time included

  /// GPUs that are paid for, mean over the run.
  double paid_gpus() const { return rented_gpus.value_or(static_cast<double>(gpus)); }
  /// Of prompts: computed, recomputed or found in a tier of the KV memory.
  std::int64_t admitted_prompt_tokens() const {
    std::int64_t tokens = totals.prompt_tokens;
    for (const KvTierFacts& tier : kv_tiers) tokens += tier.hit_tokens;
    return tokens;
  }
  double gpus_per_replica() const { return static_cast<double>(gpus) / static_cast<double>(replicas); }
};

/// What a forecast rests on, so that a reader can judge it: one entry per pool.
struct RestsOn {
  std::string pool{};
  std::string latency_model{};
  std::string engine{};
  std::string fitted_range{};        // in words; empty where nothing was fitted
  double extrapolated_fraction = 0;  // of step time, outside the fitted range
  std::vector<std::string> notes{};  // e.g. "constants derived from another GPU"

  void fields(Fields& f) {
    f.field("pool", pool, "pool this is about");
    f.field("latency_model", latency_model, "what says how long a step takes");
    f.field("engine", engine, "serving engine, and what its terms rest on");
    f.field("fitted_range", fitted_range, "the range it was fitted on, in words");
    f.figure("extrapolated_fraction", extrapolated_fraction, "share of step time outside that range",
             {.better = Better::lower});
    f.field("notes", notes, "what else to know");
  }
  bool operator==(const RestsOn&) const = default;
};

/// Copies of one kind, and what their times rest on.
struct CopiesMade {
  std::string kind{};
  std::string basis{};
  std::int64_t copies = 0;
  double bytes = 0;

  void fields(Fields& f) {
    f.field("kind", kind, "of transfer, e.g. expert_load, kv_fetch, weight_load, swap");
    f.field("basis", basis,
            "measured: timed copies of such GPUs; published: figures that others state of them; derived: those of "
            "another GPU, scaled; data sheet: the rates of the GPU's file, and of the network between nodes");
    f.figure("copies", copies, "that began");
    f.figure("bytes", bytes, "that they moved; of slow copies what they take of their links");
  }
  bool operator==(const CopiesMade&) const = default;
};

/// GPUs of rented nodes that no pool holds, mean over the run.
struct UnusedGpus {
  std::string group{};  // of nodes; empty: of the only one
  double gpus = 0;
  double usd_per_hour = 0;

  void fields(Fields& f) {
    f.field("group", group, "of nodes that are rented whole (`cluster.rent`); empty where the cluster has one");
    f.figure("gpus", gpus, "that no pool uses, mean over the run", {.better = Better::lower});
    f.figure("usd_per_hour", usd_per_hour, "their rent, which is part of `cost`", {.better = Better::lower});
  }
  bool operator==(const UnusedGpus&) const = default;
};

/// What one group of nodes sent to other sites.
struct SiteEgress {
  std::string group{};
  double bytes = 0;
  double usd = 0;

  void fields(Fields& f) {
    f.field("group", group, "of nodes, that they left");
    f.figure("bytes", bytes, "sent over links to other sites: KV that was handed over, migrated or copied",
             {.heading = "bytes", .better = Better::lower});
    f.figure("usd", usd, "at `egress_usd_per_billion_bytes` of the group; part of `cost`",
             {.heading = "cost", .better = Better::lower});
  }
  bool operator==(const SiteEgress&) const = default;
};

inline double egress_usd(const std::vector<SiteEgress>& groups) {
  double usd = 0;
  for (const SiteEgress& group : groups) usd += group.usd;
  return usd;
}

/// A figure of the hardware that the scenario states otherwise than its file.
struct ChangedHardware {
  std::string setting{};
  std::string from{};
  std::string to{};

  void fields(Fields& f) {
    f.field("setting", setting, "of the scenario, that changes it");
    f.field("from", from, "what the file says");
    f.field("to", to, "what the scenario says");
  }
  bool operator==(const ChangedHardware&) const = default;
};

/// A file that did not come with the program: a plug-in, or one of a library of one's own.
struct AddedFile {
  std::string file{};
  std::string sha256{};
  std::string brings{};

  void fields(Fields& f) {
    f.field("file", file, "from the root of the file system");
    f.field("sha256", sha256, "of what was in it");
    f.field("brings", brings, "what the scenario can name for it, e.g. router 'nearest' or gpu 'our_gpu'");
  }
  bool operator==(const AddedFile&) const = default;
};

/// What a run is accounted for with, beyond the rent of its GPUs.
struct AccountTerms {
  std::string currency{};
  double per_usd = 1;
  double usd_per_kwh = 0;
  double pue = 1;
  std::optional<double> co2_g_per_kwh{};
};

struct RunFacts {
  std::string name{};
  std::int64_t seed = 0;
  std::string version{};
  std::string workload{};  // in words, e.g. "trace chat.csv.gz, 19,366 requests"
  double duration_s = 0;   // nothing recorded lies after it
  std::int64_t steps = 0;
  SloFacts slo{};
  std::vector<PoolFacts> pools{};         // by PoolId
  GatewayFacts gateway{};                 // empty without one
  FailureFacts failures{};                // empty where nothing can fail
  std::vector<ScalingTotals> scaling{};   // of pools with an autoscaler
  std::set<ClassId> warm_up{};            // classes that latencies and promises of all requests leave out
  std::vector<std::string> classes{};     // names of request classes, by ClassId; 0 is the unnamed one
  std::optional<AccountTerms> account{};  // where an account is wanted
  double node_overhead_j = 0;             // energy of the nodes beyond their GPUs
  std::vector<UnusedGpus> unused_gpus{};  // by group of nodes that has any
  std::vector<SiteEgress> egress{};       // by group of nodes that is to pay for any
  std::vector<RestsOn> rests_on{};
  std::vector<CopiesMade> copies{};  // by kind and basis
  std::vector<ChangedHardware> changed_hardware{};
  std::vector<AddedFile> added_files{};
  std::string settings = "{}";  // every setting of the scenario, as JSON text
};

}  // namespace servecast
