#include "sim/engine/cluster/make_experts.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/policy/experts/routing_statistics.h"
#include "sim/input/resolve/load_experts.h"
#include "sim/input/scenario/host_link.h"
#include "sim/input/scenario/pool_shape.h"
#include "sim/input/scenario/scenario.h"
#include "sim/serving/resources/expert_offload.h"

namespace servecast {
namespace {

/// Of a group of GPUs that have experts of their own; every one of them gets its slice, and the slowest stage counts.
/// Groups on a node share its disk evenly; stages that share a link load over it as flows.
OwnLinks::Rates link_rates(const Pool& pool, std::int64_t replica, const Node& node) {
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  const auto stage_gpus = static_cast<std::size_t>(pool.shape().gpus_per_stage());
  const std::span<const GpuPlace> gpus = pool.places[static_cast<std::size_t>(replica)].gpus;
  const Copy one{.bytes = 1, .side_by_side = spec.streams > 1, .pageable = !spec.page_locked};
  const TransferLaw& law = pool.transfers.from_host(one);
  const double link = pool.transfers.h2d.link_bytes_per_s();
  double each = link;
  for (std::size_t first = 0; first < gpus.size(); first += stage_gpus)
    each = std::min(each, host_to_gpu_bytes_per_s(gpus.subspan(first, stage_gpus), link, node));
  const std::int64_t groups_on_a_node = std::min(pool.spec.expert_parallel, node.gpus);
  const double all = each * real(pool.shape().gpus_per_stage()) / real(pool.spec.expert_parallel);
  return {.host_bytes_per_s = all * spec.copy_rate_fraction / law.link_bytes(one, link),
          .disk_bytes_per_s = std::min(all, node.nvme_bytes_per_s / real(groups_on_a_node)) * spec.copy_rate_fraction,
          .streams = spec.streams,
          .start_s = law.start_s};
}

ExpertTimes expert_times(const Pool& pool) {
  const DataType weights = pool.weights().experts;
  const GemmFits& fits = pool.gpu.kernels.value().moe;
  const auto& own = fits.of(weights);
  ExpertTimes times{.fit = own ? *own : fits.bf16.value(),
                    .weights = weights,
                    .llm = pool.llm,
                    .tensor_parallel = pool.shape().expert_slices()};
  if (const auto& host = pool.spec.expert_offload->host) {
    const double parameters = pool.experts->expert_bytes / facts(weights).bytes;
    times.host_expert_s = pool.experts->expert_bytes / host->memory_bytes_per_s;
    times.host_token_s = 2 * parameters / host->flop_per_s;
  }
  return times;
}

/// Layers with experts on the GPUs of each pipeline stage: those on the host have theirs there, and load none.
std::vector<LayerRange> stage_layers_with_experts(const Pool& pool) {
  const LayerRange on_gpu = split_layers(pool.llm.layers, pool.spec.host_layers).gpu;
  std::vector<LayerRange> layers;
  for (std::int64_t stage = 0; stage < pool.shape().pipeline_parallel; ++stage) {
    const LayerRange range = stage_layers(on_gpu.size(), pool.shape().pipeline_parallel, stage);
    layers.push_back({.first = pool.llm.expert_layers_before(on_gpu.first + range.first),
                      .last = pool.llm.expert_layers_before(on_gpu.first + range.last)});
  }
  return layers;
}

/// How often a layer's experts are used by all models together.
std::vector<std::uint64_t> uses_of_all(const ExpertPlan& plan) {
  const auto each = static_cast<std::size_t>(plan.shape.experts);
  const std::size_t all = plan.shared.all();
  std::vector<std::uint64_t> uses(static_cast<std::size_t>(plan.shape.layers) * all);
  for (std::size_t model = 0; model < plan.profiles.size(); ++model) {
    const std::vector<std::uint64_t> own = count_uses(plan.profiles[model]);
    for (std::size_t i = 0; i < own.size(); ++i) {
      const ExpertId expert{static_cast<std::uint16_t>(i % each)};
      if (plan.shared.has(model, i / each, expert))
        uses[i / each * all + index(plan.shared.of(model, i / each, expert))] += own[i];
    }
  }
  return uses;
}

}  // namespace

std::unique_ptr<ExpertOffload> make_experts(const Pool& pool, std::int64_t replica, std::uint64_t seed,
                                            const Node& node) {
  if (!pool.experts) return nullptr;
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  const ExpertPlan& plan = *pool.experts;
  std::vector<ExpertModel> models;
  for (std::size_t model = 0; model < plan.models.size(); ++model) {
    models.push_back({.routing = make_routing(pool, plan, model, seed),
                      .prefetch = spec.prefetch.make(),
                      .miss = spec.miss.make()});
    models.back().miss->prepare(plan.profiles[model]);
  }
  return std::make_unique<ExpertOffload>(
      ExpertOffloadSetup{.shape = plan.shape,
                         .stage_layers = stage_layers_with_experts(pool),
                         .groups = static_cast<std::size_t>(pool.spec.expert_parallel),
                         .experts = plan.shared,
                         .models = std::move(models),
                         .cache = spec.cache.make(),
                         .long_run_uses = uses_of_all(plan),
                         .slots = plan.slots,
                         .host_experts = plan.host_experts,
                         .expert_bytes = plan.expert_bytes,
                         .links = link_rates(pool, replica, node),
                         .drop_late_guesses = spec.late_guesses == "drop",
                         .times = expert_times(pool),
                         .rng = Rng(seed, "experts/" + pool.spec.name + "/" + std::to_string(replica))});
}

}  // namespace servecast
