#include "tests/matrix/draw/draw_pool.h"

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
#include "tests/matrix/draw/draw_experts.h"
#include "tests/matrix/draw/draw_policy.h"

namespace servecast::matrix {
namespace {

constexpr double whole_batches = 0.1;  // as batchers that keep these go with little else

Tree draw_eviction(Draw draw) {
  return draw_policy<Eviction>(draw, [](Eviction& e) { return !e.clairvoyant(); });
}

Tree draw_batcher(Draw draw, const PoolUse& use) {
  const bool whole = !use.decodes_for_others && draw.at("whole").chance(whole_batches);
  return draw_policy<Batcher>(draw, [&](Batcher& b) { return (b.after_last() != AfterLast::frees) == whole; });
}

/// Blocks for a few requests at a time, or for many.
std::int64_t few_blocks(Draw draw, const Tree& cache) {
  const std::int64_t tokens = draw.at("tokens").pick(std::vector{1200, 4000, 12000, 40000});
  const std::int64_t block = cache.value("block_tokens", cache.at("policy") == "radix" ? 1 : 16);
  return std::max<std::int64_t>(4, tokens / block);
}

Tree draw_kv_cache(Draw draw, bool shares) {
  Tree cache = draw_policy<KvCache>(draw, [&](KvCache& c) { return !shares || c.shares_prefixes(); });
  if (made<KvCache>(cache)->shares_prefixes() && draw.at("evict").chance(0.6))
    cache["eviction"] = draw_eviction(draw.at("eviction"));
  if (draw.at("tight").chance(0.55)) cache["num_gpu_blocks_override"] = few_blocks(draw.at("few"), cache);
  return cache;
}

Tree draw_tiers(Draw draw) {
  Tree levels = Tree::array();
  for (const char* kind : {"host", "nvme", "shared"}) {
    Draw of = draw.at(kind);
    if (!of.chance(0.5) && !(levels.empty() && std::string(kind) == "shared")) continue;
    levels.push_back({{"kind", kind},
                      {"capacity_bytes", of.pick(std::vector{2e8, 1e9, 1e10})},
                      {"write", of.pick(std::vector<std::string>{"through", "on_evict"})},
                      {"eviction", draw_eviction(of.at("eviction"))}});
  }
  return {{"fetch", draw.pick(std::vector<std::string>{"if_faster", "always", "always"})},
          {"prefetch", draw.chance(0.5)},
          {"layer_wise", draw.chance(0.25)},
          {"levels", levels}};
}

Tree draw_scaling(Draw draw, std::int64_t replicas, bool needs_one, bool migrates) {
  Tree scaling{{"min_replicas", needs_one ? 1 : draw.at("least").pick(std::vector{0, 0, 1})}};
  if (draw.at("stated?").chance(0.9)) {  // the engine's own start is longer than most runs
    scaling["engine_init_s"] = draw.at("init").pick(std::vector{0.0, 0.5, 3.0});
    scaling["imports_s"] = draw.at("imports?").chance(0.2) ? 0.7 : 0;
    scaling["gpu_load_bytes_per_s"] = draw.at("to_gpu?").chance(0.2) ? 2e10 : 1e12;
  }
  if (draw.at("start?").chance(0.5))
    scaling["start_replicas"] = draw.at("start").between(needs_one ? 1 : 0, replicas);
  if (draw.at("provision?").chance(0.4)) scaling["provision_s"] = 1.5;
  if (draw.at("image?").chance(0.3)) scaling["image_bytes"] = 1e10;
  if (scaling.contains("image_bytes") && draw.at("unpack?").chance(0.5)) scaling["image_bytes_per_s"] = 1e10;
  if (draw.at("snapshot?").chance(0.2)) {
    scaling["snapshot"] = {{"bytes", 2e10}};
    if (draw.at("restore?").chance(0.5)) scaling["snapshot"]["restore_s"] = 0.5;
  }
  if (draw.at("warm?").chance(0.3)) {
    scaling["warm_replicas"] = draw.at("warm").between(1, replicas);
    if (draw.at("warm_start?").chance(0.5)) scaling["warm_start_s"] = 0.1;
  }
  if (migrates && draw.at("drain").chance(0.6)) scaling["drain"] = "migrate";
  if (draw.at("mirror?").chance(0.25)) scaling["mirror"] = {{"fraction", 0.3}, {"for_s", 1}};
  return scaling;
}

void add_gate(Draw draw, const PoolUse& use, Tree& pool) {
  if (draw.at("router?").chance(0.75))
    pool["router"] =
        draw_policy<Router>(draw.at("router"), [&](Router& r) { return !use.decodes_for_others || r.only_picks(); });
  if (!use.decodes_for_others && draw.at("admission?").chance(0.25))
    pool["admission"] = draw_policy<Admission>(draw.at("admission"));
  const bool looks = (!pool.contains("router") || made<Router>(pool["router"])->reads_state()) ||
                     (pool.contains("admission") && made<Admission>(pool["admission"])->reads_state());
  if (looks && draw.at("delay?").chance(0.15)) pool["signal_delay_s"] = 0.5;
}

void add_memory(Draw draw, Tree& pool) {
  const bool tiers = draw.at("tiers?").chance(0.25);
  pool["kv_cache"] = draw_kv_cache(draw.at("kv_cache"), tiers);
  const bool has_states = pool["llm"] == "qwen3-next-80b-a3b";
  if (has_states && !made<KvCache>(pool["kv_cache"])->keeps_states()) pool["kv_cache"] = {{"policy", "radix"}};
  if (draw.at("windows?").chance(0.15))
    pool["memory"] = {{"windowed_layers", draw.at("windows").pick(std::vector<std::string>{"whole", "engine"})}};
  if (tiers) pool["kv_tiers"] = draw_tiers(draw.at("kv_tiers"));
  if (made<KvCache>(pool["kv_cache"])->growth_tokens() > 0 && draw.at("swap?").chance(0.35))
    pool["preemption"] = {{"mode", "swap"}, {"swap_space_bytes", draw.at("swap").pick(std::vector{1e7, 3e8, 4e9})}};
}

/// Drafts, exits, adapters, layers on the host.
void add_extras(Draw draw, const PoolUse& use, const Fitted& fitted, Tree& pool) {
  const bool roomy = use.machine.gpu_gb >= 80 && fitted.model.gb < 20;
  // The exits drawn lie above the 24 layers of the one, and too early for the 62 of the other.
  const bool exits = fitted.model.name != "gpt-oss-20b" && fitted.model.name != "gemma-3-27b";
  if (exits && draw.at("exit?").chance(fitted.model.experts > 0 ? 0.2 : 0.08))
    pool["early_exit"] = draw_policy<EarlyExit>(draw.at("early_exit"));
  const bool drafts_itself = pool.contains("early_exit") && pool["early_exit"]["policy"] == "layer_skip";
  if (!drafts_itself && draw.at("drafts?").chance(0.2)) {
    pool["speculative"] = draw_policy<Speculation>(draw.at("speculative"));
    if (pool["speculative"]["policy"] == "draft_model" && !roomy) pool["speculative"] = {{"policy", "ngram"}};
  }
  if (draw.at("lora?").chance(made<KvCache>(pool["kv_cache"])->shares_prefixes() ? 0.25 : 0.12))
    pool["lora"] = {{"slots", draw.at("slots").pick(std::vector{1, 2, 6})},
                    {"modules", draw.at("modules").pick(std::vector<std::string>{"attention", "all"})}};
  if (fitted.cut.gpus() == 1 && fitted.weights == "bf16" && draw.at("host?").chance(0.05))
    pool["host_layers"] = {{"layers", 4},
                           {"device", "i7_13650hx"},
                           {"which", draw.at("which").pick(std::vector<std::string>{"first", "last"})}};
}

/// Sides within the pool; that another pool decodes is drawn with several.
Tree draw_own_placement(Draw draw) {
  return draw_policy<Placement>(draw,
                                [](Placement& p) { return p.prefill_replicas() > 0 || p.sm_partition() != nullptr; });
}

void add_replicas(Draw draw, const PoolUse& use, const Fitted& fitted, Tree& pool) {
  const std::int64_t most = fitted.cut.gpus() > 4 ? 2 : 4;
  std::int64_t replicas = draw.at("replicas").between(1, most);
  if (!use.decodes_for_others && draw.at("placement?").chance(0.12)) {
    pool["placement"] = draw_own_placement(draw.at("placement"));
    if (made<Placement>(pool["placement"])->prefill_replicas() > 0) replicas = std::max<std::int64_t>(replicas, 2);
  }
  if (draw.at("migration?").chance(0.12)) pool["migration"] = draw_policy<Migration>(draw.at("migration"));
  pool["replicas"] = replicas;
  const bool migrates = pool.contains("migration") && pool["migration"]["policy"] != "none";
  if (!draw.at("scales?").chance(0.2)) {
    if (draw.at("cold?").chance(0.1)) pool["start"] = "cold";
    return;
  }
  pool["autoscaler"] = draw_policy<Autoscaler>(draw.at("autoscaler"));
  if (pool["autoscaler"]["policy"] != "none" && (use.decodes_for_others || draw.at("scaling?").chance(0.9)))
    pool["scaling"] = draw_scaling(draw.at("scaling"), replicas, use.decodes_for_others, migrates);
}

void add_shape(Draw draw, const Fitted& fitted, Tree& pool) {
  if (fitted.cut.tensor > 1) pool["tensor_parallel"] = fitted.cut.tensor;
  if (fitted.cut.pipeline > 1) pool["pipeline_parallel"] = fitted.cut.pipeline;
  if (fitted.cut.ranks() == 1 && draw.at("roofline").chance(0.25)) pool["latency"] = {{"model", "roofline"}};
  if (draw.at("graphs?").chance(0.1))
    pool["latency"]["cuda_graph_max_tokens"] = draw.at("graphs").pick(std::vector{0, 64, 2048});
  if (fitted.cut.expert == 1) return;
  pool["expert_parallel"] = fitted.cut.expert;
  add_exchange(draw.at("exchange"), fitted, pool);
}

}  // namespace

Cut cut_of(const Tree& pool) {
  return {.tensor = pool.value("tensor_parallel", 1),
          .pipeline = pool.value("pipeline_parallel", 1),
          .expert = pool.value("expert_parallel", 1)};
}

Tree draw_pool(Draw draw, const PoolUse& use, const Fitted& fitted) {
  Tree pool{{"name", use.name}, {"llm", fitted.model.name}, {"gpu", use.machine.gpu}};
  if (fitted.weights != "bf16") pool["weights"] = fitted.weights;
  if (draw.at("engine?").chance(0.3))
    pool["engine"] = draw.at("engine").pick(std::vector<std::string>{"vllm-0.6", "sglang-0.5", "trtllm-1.0", "none"});
  if (draw.at("first_use?").chance(0.15)) {
    pool["engine"] = SERVECAST_SOURCE_DIR "/tests/matrix/data/first_use.yaml";
    pool["first_use"] = draw.at("first_use").pick(std::vector<std::string>{"warmed_up", "loaded", "compiled"});
  }
  if (draw.at("front_end?").chance(0.3)) {
    pool["tokenizer_workers"] = draw.at("tokenizer_workers").pick(std::vector{0, 2, 8});
    pool["stream_interval"] = draw.at("stream_interval").pick(std::vector{0, 1, 20});
  }
  add_shape(draw, fitted, pool);
  add_replicas(draw, use, fitted, pool);
  pool["batcher"] = draw_batcher(draw.at("batcher"), use);
  if (draw.at("queue?").chance(0.5)) pool["queue"] = draw_policy<WaitingQueue>(draw.at("queue"));
  add_memory(draw, pool);
  add_gate(draw, use, pool);
  add_extras(draw, use, fitted, pool);
  constexpr std::int64_t quick = 64;  // every load of an expert over a shared link is a flow
  if (fitted.model.experts > 0 && fitted.model.experts <= quick) add_offload(draw.at("experts"), fitted.model, pool);
  return pool;
}

}  // namespace servecast::matrix
