#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/policy/expert_cache.h"
#include "models/policy/expert_miss.h"
#include "models/policy/expert_prefetch.h"
#include "models/policy/expert_routing.h"

namespace servecast {

/// What computes experts beside the GPUs.
struct ExpertHostSpec {
  double flop_per_s = 0;
  double memory_bytes_per_s = 0;

  void fields(Fields& f) {
    f.required("flop_per_s", flop_per_s, "arithmetic that the host's CPUs reach on an expert, in bf16", positive);
    f.required("memory_bytes_per_s", memory_bytes_per_s, "rate at which they read weights from DRAM", positive);
  }
};

/// Models that were made from a pool's own one and share everything with it but some experts.
struct SharedModelSpec {
  std::string name{};
  std::int64_t count = 1;
  double tuned_fraction = 0;
  std::optional<std::int64_t> experts{};
  std::optional<double> gained_points{};

  void fields(Fields& f) {
    f.required("name", name, "what the report calls it");
    f.field("count", count, "as many alike, each with tuned experts of its own", {.min = 1, .max = 1024});
    f.field(
        "tuned_fraction", tuned_fraction,
        "share of each layer's experts that fine-tuning changed, those that it uses most; the others are those of "
        "the pool's model (ESFT, arXiv 2407.01906: 2 to 15 of 64)",
        fraction);
    f.field("experts", experts,
            "experts that pruning left of each layer, those that the pool's model uses most; left out: all",
            at_least_one);
    f.field("gained_points", gained_points,
            "what tuning gained on its requests, of a benchmark's score in percent: lost where untuned experts stand "
            "in; left out: the report cannot say what stand-ins cost",
            {.min = 0, .max = 100});
  }
};

/// A pool that keeps only some of its model's experts in GPU memory.
struct ExpertOffloadSpec {
  std::vector<SharedModelSpec> models{};
  std::optional<std::int64_t> slots_per_layer{};
  std::optional<double> cache_fraction{};
  std::optional<double> hbm_bytes{};
  std::int64_t kv_tokens = 16384;
  std::optional<double> host_bytes{};
  std::int64_t streams = 1;
  bool page_locked = true;
  double copy_rate_fraction = 1;
  std::int64_t profile_tokens = 2048;
  Choice<ExpertRouting> routing{"synthetic"};
  Choice<ExpertCache> cache{"lru"};
  Choice<ExpertPrefetch> prefetch{"none"};
  std::string late_guesses = "keep";
  Choice<ExpertMiss> miss{"load"};
  std::optional<ExpertHostSpec> host{};

  void fields(Fields& f) {
    f.list(
        "models", models,
        "further models that share the slots, made from the pool's own one, which is number 0; a request's adapter "
        "(workload: adapters) names its model: adapter k asks model k modulo their number, with lora as one of that "
        "model's adapters; none: the pool's alone");
    f.field("slots_per_layer", slots_per_layer,
            "experts of each layer in the GPUs' memory, of all models; 0: none stays. With this, cache_fraction and "
            "hbm_bytes left out: "
            "as many as fit beside KV for kv_tokens");
    f.field("cache_fraction", cache_fraction, "the same as a share of a layer's experts, of all models",
            positive_fraction);
    f.field("hbm_bytes", hbm_bytes, "the same as memory of each GPU for experts of all layers", positive);
    f.field("kv_tokens", kv_tokens, "tokens whose KV must fit beside as many experts as do", at_least_one);
    f.field("host_bytes", host_bytes,
            "host memory of each replica for experts, the rest is on disk; left out: the node's whole memory",
            positive);
    f.field("streams", streams, "experts that are copied to the GPUs at the same time", at_least_one);
    f.field(
        "page_locked", page_locked,
        "the host's memory is page-locked; false: pageable, where the kernel profile has measured copies from it");
    f.field("copy_rate_fraction", copy_rate_fraction,
            "share of the rate of such copies that loads reach, e.g. about a half where a framework stages them",
            positive_fraction);
    f.field("profile_tokens", profile_tokens,
            "tokens of the routing that popularity and co-activation are learnt from before the run",
            {.min = 64, .max = 1'000'000});
    f.group("routing", routing, "which experts each token is sent to");
    f.group("cache", cache, "which experts stay in the GPUs' memory");
    f.group("prefetch", prefetch, "which experts are loaded before a layer asks for them");
    f.field("late_guesses", late_guesses,
            "guesses that no token waits for and whose copy has not begun when their layer starts: keep: they stay "
            "in the "
            "queue, before later loads, until the step ends; drop: they leave it. A copy that has begun is finished",
            {"keep", "drop"});
    f.group("miss", miss, "what becomes of experts that are not there");
    f.group("host", host, "what computes experts on the host, where a miss policy does that");
  }
};

/// How unevenly the experts of an expert-parallel pool are used.
struct ExpertBalanceSpec {
  Choice<ExpertRouting> routing{"synthetic"};
  std::string placement = "eplb";
  std::int64_t profile_tokens = 8192;

  void fields(Fields& f) {
    f.group("routing", routing, "which experts each token is sent to");
    f.field(
        "placement", placement,
        "eplb: copies for the experts that are wanted most, then packed evenly, as DeepSeek's EPLB does for every "
        "layer; in_order: the first experts on the first GPU, no copies",
        {"eplb", "in_order"});
    f.field("profile_tokens", profile_tokens,
            "tokens of the routing that the placement is learnt from; as many others are served with it",
            {.min = 64, .max = 100'000});
  }
};

}  // namespace servecast
