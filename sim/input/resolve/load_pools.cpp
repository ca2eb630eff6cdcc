#include "sim/input/resolve/load_pools.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "models/hw/parallel/tensor_collectives.h"
#include "models/hw/parallel/wide_experts.h"
#include "models/hw/profile/profile_latency.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/latency_tables.h"
#include "sim/input/library/llm_config.h"
#include "sim/input/resolve/balance_experts.h"
#include "sim/input/resolve/images.h"
#include "sim/input/resolve/kv_layers.h"
#include "sim/input/resolve/load_experts.h"
#include "sim/input/resolve/pool_error.h"
#include "sim/input/resolve/pool_profile.h"
#include "sim/input/resolve/step_additions.h"
#include "sim/input/rules/check_kv_tiers.h"
#include "sim/input/rules/check_pool.h"
#include "sim/input/rules/combinations.h"
#include "sim/input/scenario/pool_group.h"
#include "sim/input/yaml/try_at.h"

namespace servecast {
namespace {

/// A path in a scenario counts from the scenario's folder.
std::string beside(const std::string& scenario_file, const std::string& path) {
  return (std::filesystem::path(scenario_file).parent_path() / path).string();
}

class PoolLoader {
 public:
  PoolLoader(YamlText& text, const ScenarioSpec& scenario, const PoolLoading& with)
      : text_(text),
        scenario_(scenario),
        groups_(with.groups),
        allocator_(with.groups),
        files_(with.files),
        profiles_(with.profiles),
        seed_(static_cast<std::uint64_t>(scenario.seed)),
        draw_(static_cast<std::uint64_t>(scenario.calibration_draw)) {}

  /// Looks up, sizes and checks one pool; what is wrong is left in the text's problems.
  Pool load(PoolSpec spec, std::size_t i) {
    path_ = fmt::format("pools[{}]", i);
    Pool pool{.spec = std::move(spec)};
    pool.layout = layout_of(pool.spec, scenario_);
    pool.load = load_of(scenario_.workload);
    const bool llm =
        try_at(text_, path_ + ".llm", [&] { pool.llm = files_.llm(pool.spec.llm, place(".llm"), text_.file); });
    const bool gpu = try_at(text_, path_ + ".gpu", [&] {
      pool.gpu = files_.gpu(pool.spec.gpu, place(".gpu"), text_.file, scenario_.hardware);
    });
    const bool engine = try_at(text_, path_ + ".engine",
                               [&] { pool.engine = files_.engine(pool.spec.engine, place(".engine"), text_.file); });
    pool.images = brings_images(scenario_, i);
    if (gpu) pool.transfers = transfer_laws(pool.gpu, nullptr);
    take_settings(pool);
    if (const auto blind = llm ? images_problem(scenario_, pool) : std::nullopt) fail(blind->key, blind->message);
    if (!llm || !gpu || !engine || !stand_on_group(pool) || !check_combinations(text_, path_, pool.spec) ||
        !check_pool(text_, path_, pool, node()) || !load_additions(text_, path_, files_, scenario_.hardware, pool))
      return pool;
    if (pool.spec.expert_offload && !try_at(text_, path_ + ".expert_offload", [&] { plan_offload(pool); }))
      return pool;
    add_notes(pool);
    add_model_notes(pool);
    size_memory(pool);
    allocator_.place(text_, path_, pool);
    pool.rank_loads = loads_by_chance(pool, node());
    if (text_.problems.empty() && pool.spec.expert_balance)
      try_at(text_, path_ + ".expert_balance", [&] { plan_balance(pool); });
    if (text_.problems.empty()) check_kv_tiers(text_, path_, pool, node());
    if (text_.problems.empty()) profiles_ != nullptr ? make_step_times(pool) : check_latency(pool);
    if (text_.problems.empty() && draw_ > 0) apply_draw(pool);
    return pool;
  }

 private:
  bool stand_on_group(Pool& pool) {
    const auto chosen = allocator_.choose(text_, path_, pool);
    pool.group = chosen.value_or(0);
    group_ = &groups_[pool.group];
    return chosen.has_value();
  }
  const Node& node() const { return group_->node; }

  void make_step_times(Pool& pool) {
    if (!try_at(text_, path_ + ".latency.profile", [&] { measure_transfers(pool); })) return;
    make_latency(pool);
    if (text_.problems.empty()) add_eager_launch(pool);
    if (text_.problems.empty()) add_drafting(pool, latency_of(pool));
    if (text_.problems.empty()) add_images(pool);
    if (text_.problems.empty()) add_adapters(pool, node());
    if (text_.problems.empty()) tell_depth(pool);
  }

  /// Tables and the roofline come without measured copies.
  void measure_transfers(Pool& pool) {
    const bool table = pool.spec.latency.model == "table";
    if (const auto use = table ? std::nullopt : profile_use(pool, hardware()))
      pool.transfers = transfer_laws(pool.gpu, &profiles_->get(*use).profile);
    if (const auto problem = pageable_problem(pool)) fail(".expert_offload.page_locked", *problem);
  }

  /// A scenario that asks for asynchronous scheduling hears where there is none.
  static void tell_depth(Pool& pool) {
    if (std::min(pool.spec.batcher.make()->depth(), pool.engine.scheduling_depth) < 2) return;
    if (pool.spec.pipeline_parallel > 1)
      pool.notes.push_back(
          "asynchronous scheduling is off: while a batch is in a pipeline stage, others are in the next");
    else if (pool.spec.placement.make()->sm_partition() != nullptr)
      pool.notes.push_back("asynchronous scheduling is off: steps of prompts and decodes are scheduled apart");
  }

  PoolHardware hardware() const {
    return {.scenario = scenario_, .files = files_, .file = text_.file, .where = place(".latency.profile")};
  }
  Place place(const std::string& key) const { return text_.place(path_ + key); }
  void fail(const std::string& key, const std::string& message) { text_.fail(path_ + key, message); }

  void plan_offload(Pool& pool) {
    pool.experts = plan_experts(pool, node(), seed_, beside(text_.file, "."), place(".expert_offload"));
    const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
    if (!spec.slots_per_layer && !spec.cache_fraction && !spec.hbm_bytes)
      while (pool.experts->slots > 0 && memory_plan(pool).kv_pool_tokens < spec.kv_tokens)
        pool.experts->slots -= pool.spec.expert_parallel;
    pool.notes.push_back(fmt::format("experts: {} of {} per layer in GPU memory, routing {}", pool.experts->slots,
                                     pool.experts->experts(), spec.routing.policy()));
  }

  void plan_balance(Pool& pool) {
    pool.rank_loads = balance_experts(pool, node(), seed_, beside(text_.file, "."), place(".expert_balance"));
    const ExpertBalanceSpec& spec = *pool.spec.expert_balance;
    pool.notes.push_back(fmt::format(
        "experts: routing {}, placed by {} with {} copies: the fullest of {} GPUs takes "
        "{:.2f} times the mean of the largest steps",
        spec.routing.policy(), spec.placement, pool.spec.expert_exchange.redundant_experts, pool.spec.expert_parallel,
        pool.rank_loads.at(pool.spec.batcher.make()->max_step_tokens()).visits));
  }

  MemoryPlan memory_plan(const Pool& pool) const {
    const auto batcher = pool.spec.batcher.make();
    MemoryUse use{.weights = pool.weights(),
                  .kv = kv_type(pool.spec),
                  .max_step_tokens = batcher->max_step_tokens(),
                  .max_sequences = max_rows(pool.spec),
                  .absent_experts = pool.experts ? pool.experts->shape.experts - pool.experts->slots : 0,
                  .buffered_experts = pool.experts ? pool.spec.expert_offload->streams : 0,
                  .node_gpus = node().gpus};
    use.beside = memory_beside(pool, use);
    const LayerRange layers = split_layers(pool.llm.layers, pool.spec.host_layers).gpu;
    const Llm on_gpu = pool.llm.only(layers.first, layers.last);
    return plan_memory(pool.gpu, on_gpu, pool.shape(), pool.spec.memory.over(pool.engine.memory), use);
  }

  void size_memory(Pool& pool) {
    pool.memory = memory_plan(pool);
    if (pool.memory.problem) return fail(".llm", *pool.memory.problem);
    if (const auto mistake = group_layers(pool)) return fail(mistake->key, mistake->message);
    const auto cache = pool.make_kv_cache();
    if (cache->admissible_blocks() < 1)
      fail(".kv_cache", fmt::format("{} tokens of KV memory do not make one block", pool.memory.kv_pool_tokens));
  }

  void make_latency(Pool& pool) {
    if (!in_parts(pool)) return make_plain_latency(pool);
    if (pool.spec.latency.model == "table")
      return fail(".latency.model", "the lookup tables know no single layer; use profile or roofline");
    pool.latency = latency_in_parts(pool, latency_of(pool));
    if (pool.spec.host_layers.layers > 0)
      pool.notes.push_back(fmt::format("the {} {} layers run on {}", pool.spec.host_layers.which,
                                       pool.spec.host_layers.layers, pool.host.title));
  }

  /// Of something that is timed like the pool's model. What the times on its own GPU rest on is said of the pool.
  LatencyOf latency_of(Pool& pool) {
    return [this, &pool](const Llm& llm, const Gpu& device, const Shape& shape) -> std::unique_ptr<StepLatency> {
      Pool alone{.spec = pool.spec, .llm = llm, .gpu = device, .engine = pool.engine};
      alone.spec.tensor_parallel = shape.tensor_parallel;
      alone.spec.pipeline_parallel = shape.pipeline_parallel;
      alone.spec.expert_parallel = shape.expert_parallel;
      alone.spec.data_parallel = shape.data_parallel;
      alone.transfers = &device == &pool.host ? transfer_laws(device, nullptr) : pool.transfers;
      if (&device == &pool.host) alone.spec.gpu = pool.spec.host_layers.device;
      alone.engine.step = without_host(pool.engine.step);
      alone.places = pool.places;
      alone.rank_loads = pool.rank_loads;
      if (pool.spec.latency.model == "table")
        fail(".latency.model", "the lookup tables are those of the pool's own model; use profile or roofline");
      else
        make_plain_latency(alone);
      if (&device == &pool.gpu && pool.latency_source.empty()) {
        pool.latency_source = alone.latency_source;
        pool.fitted_range = alone.fitted_range;
        pool.notes = alone.notes;
      }
      return std::move(alone.latency);
    };
  }

  void make_plain_latency(Pool& pool) {
    if (pool.spec.latency.model == "table") return make_table_latency(pool);
    const ReadyProfile* profile = nullptr;
    const auto look_up = [&] {
      const auto use = profile_use(pool, hardware());
      if (computes_weights(pool, use) && use) profile = &profiles_->get(*use);
    };
    if (!try_at(text_, path_ + ".latency.profile", look_up) || !text_.problems.empty()) return;
    if (profile != nullptr) return make_pool_profile_latency(pool, *profile);
    if (pool.shape().ranks() > 1) return fail(".expert_parallel", no_exchange(pool));
    const auto batcher = pool.spec.batcher.make();
    pool.latency = with_collectives(pool, make_roofline({.gpu = pool.gpu,
                                                         .llm = pool.llm,
                                                         .weights = pool.weights(),
                                                         .kv = kv_type(pool.spec),
                                                         .shape = pool.shape(),
                                                         .max_step_tokens = batcher->max_step_tokens(),
                                                         .max_sequences = max_rows(pool.spec),
                                                         .stage_link = stage_link(pool),
                                                         .node_gpus = node().gpus,
                                                         .engine = kernel_terms(pool),
                                                         .rank_loads = pool.rank_loads}));
    pool.latency_source =
        fmt::format("roofline, constants of {}",
                    pool.gpu.derived() ? pool.gpu.kernels_like + " scaled to " + pool.gpu.name : pool.gpu.name);
    pool.fitted_range =
        "products to 8,192 rows, prompts to 16,384 tokens, decodes to 2,048 sequences of 131,072 tokens";
    add_roofline_notes(pool, hardware());
  }

  void apply_draw(Pool& pool) {
    pool.draw = calibration_draw(pool, scenario_.calibration_spread, draw_);
    if (profiles_ != nullptr) pool.latency = drawn(std::move(pool.latency), pool.draw);
  }

  /// All that make_latency() would find wrong.
  void check_latency(Pool& pool) {
    if (pool.spec.latency.model == "table") return (void)check_table_rates(text_, path_, pool, hardware());
    try_at(text_, path_ + ".latency.profile", [&] {
      const auto use = profile_use(pool, hardware());
      if (computes_weights(pool, use) && use) pool.sized_by.emplace(*use);
    });
  }

  bool computes_weights(const Pool& pool, const std::optional<ProfileUse>& use) {
    const KernelProfile* profile = use ? &use->measured : nullptr;
    if (const auto problem = weights_problem(pool.gpu, pool.llm, pool.weights(), profile)) fail(".weights", *problem);
    if (const auto none = moe_backend_problem(pool, profile)) fail(".latency.moe_backend", *none);
    if (const auto none = dependent_launches_problem(pool, profile)) fail(".latency.dependent_launches", *none);
    return text_.problems.empty();
  }

  void make_pool_profile_latency(Pool& pool, const ReadyProfile& ready) {
    const KernelProfile& profile = ready.profile;
    const auto batcher = pool.spec.batcher.make();
    ProfileInputs kernels{.gpu = pool.gpu,
                          .profile = &ready.times,
                          .llm = pool.llm,
                          .weights = pool.weights(),
                          .kv = kv_type(pool.spec),
                          .shape = pool.shape(),
                          .max_step_tokens = batcher->max_step_tokens(),
                          .max_sequences = max_rows(pool.spec),
                          .stage_link = stage_link(pool),
                          .node_gpus = node().gpus,
                          .terms = kernel_terms(pool),
                          .rank_loads = pool.rank_loads,
                          .moe_backend = pool.spec.latency.moe_backend};
    if (pool.shape().ranks() == 1)
      pool.latency = with_collectives(pool, make_profile_latency(std::move(kernels)));
    else if (const auto problem = exchange_problem(pool, profile, node().gpus))
      return fail(".expert_exchange", *problem);
    else
      pool.latency = wide_experts(pool, kernels);
    pool.latency_source = fmt::format("kernel profile {} ({})", profile.name, profile.title);
    pool.fitted_range = fitted_range(profile, facts(pool.weights().attention).name);
    add_profile_notes(pool, profile, hardware());
  }

  /// One tensor-parallel group does; ranks with requests of their own are the business of WideExperts.
  bool takes_nodes(const Pool& pool) const {
    return pool.shape().ranks() == 1 && pool.spec.tensor_parallel > node().gpus;
  }
  /// Where more than kernels follow, the host works beside them.
  EngineTerms kernel_terms(const Pool& pool) const {
    return takes_nodes(pool) ? without_host(pool.engine.step) : pool.engine.step;
  }
  std::unique_ptr<StepLatency> with_collectives(const Pool& pool, std::unique_ptr<StepLatency> latency) const {
    if (pool.spec.tensor_parallel == 1) return latency;
    return make_tensor_collectives(
        std::move(latency),
        {.llm = pool.llm, .shape = pool.shape(), .link = node_link(pool), .terms = pool.engine.step});
  }
  std::unique_ptr<StepLatency> wide_experts(const Pool& pool, const ProfileInputs& kernels) const {
    const ExpertExchangeSpec& spec = pool.spec.expert_exchange;
    return make_wide_experts({.kernels = kernels,
                              .link = node_link(pool),
                              .exchange = exchange_kernels(spec),
                              .two_batch_overlap = spec.two_batch_overlap});
  }
  NodeLink node_link(const Pool& pool) const {
    return servecast::node_link(pool.shape(), pool.places.front(), pool.gpu, pool.transfers, *group_);
  }
  StageLink stage_link(const Pool& pool) const {
    return servecast::stage_link(pool.shape(), pool.places.front(), pool.transfers, *group_);
  }

  void make_table_latency(Pool& pool) {
    if (!check_table_rates(text_, path_, pool, hardware())) return;
    const std::string key = path_ + ".latency.tables";
    if (pool.spec.latency.tables.empty())
      return text_.fail(path_ + ".latency", "model: table needs 'tables', the folder that holds them");
    try_at(text_, key, [&] {
      StepTables tables = load_step_tables(beside(text_.file, pool.spec.latency.tables), text_.place(key),
                                           pool.spec.pipeline_parallel);
      const StepTablesShape shape{.stages = pool.spec.pipeline_parallel,
                                  .layers_per_stage = pool.llm.layers / pool.spec.pipeline_parallel};
      pool.latency = with_collectives(pool, make_step_tables(std::move(tables), shape));
    });
    pool.latency_source = "lookup tables in " + pool.spec.latency.tables;
  }

  static DataType kv_type(const PoolSpec& spec) { return *data_type(spec.kv_cache_dtype); }

  YamlText& text_;
  const ScenarioSpec& scenario_;
  const NodeGroups& groups_;
  GroupAllocator allocator_;
  HardwareFiles& files_;
  ReadyProfiles* profiles_;  // null: step times are not wanted
  std::uint64_t seed_;
  std::uint64_t draw_;
  std::string path_;                  // of the pool at hand
  const NodeGroup* group_ = nullptr;  // likewise
};

}  // namespace

std::vector<Pool> load_pools(YamlText& text, const ScenarioSpec& spec, const PoolLoading& with) {
  PoolLoader loader(text, spec, with);
  std::vector<Pool> pools;
  for (std::size_t i = 0; i < spec.pools.size(); ++i) pools.push_back(loader.load(spec.pools[i], i));
  return pools;
}

}  // namespace servecast
