#include "sim/input/resolve/load_experts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "models/base/counts.h"
#include "models/hw/latency/kernel_time.h"
#include "models/policy/experts/pruned_routing.h"
#include "models/policy/experts/routing_statistics.h"
#include "sim/input/scenario/pool_shape.h"
#include "sim/input/scenario/scenario.h"
#include "sim/input/trace/read/routing_files.h"

namespace servecast {
namespace {

constexpr std::int64_t profile_tokens_per_request = 64;

/// GPUs over which the bytes of an expert are divided, and those that have different experts.
std::int64_t slices(const Pool& pool) { return pool.shape().expert_slices(); }
std::int64_t groups(const Pool& pool) { return pool.spec.expert_parallel; }

/// Experts of each layer in the GPUs' memory; all experts where it is for the memory to say.
std::int64_t slots_of(const Pool& pool, const ExpertPlan& plan, const Place& named) {
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  const int given = (spec.slots_per_layer ? 1 : 0) + (spec.cache_fraction ? 1 : 0) + (spec.hbm_bytes ? 1 : 0);
  if (given == 0) return plan.experts();
  if (given > 1)
    throw UserError(named,
                    "says how many experts stay in GPU memory by more than one of slots_per_layer, "
                    "cache_fraction and hbm_bytes; give one of them");
  if (spec.hbm_bytes) {
    const LayerRange on_gpu = split_layers(pool.llm.layers, pool.spec.host_layers).gpu;
    const std::int64_t layers =
        pool.llm.expert_layers_before(on_gpu.last) - pool.llm.expert_layers_before(on_gpu.first);
    const double layer_bytes = real(layers) * plan.expert_bytes / real(slices(pool));
    const auto slots = static_cast<std::int64_t>(*spec.hbm_bytes / layer_bytes) * groups(pool);
    if (slots >= 1) return std::min(slots, plan.experts());
    throw UserError(named, fmt::format("hbm_bytes {:.3g} holds no expert of each of the {} layers; one of each takes "
                                       "{:.3g} bytes per GPU",
                                       *spec.hbm_bytes, layers, layer_bytes));
  }
  const std::int64_t slots = spec.slots_per_layer.value_or(
      static_cast<std::int64_t>(std::llround(spec.cache_fraction.value_or(0) * real(plan.experts()))));
  if (slots <= plan.experts()) return slots;
  throw UserError(named, fmt::format("{} slots per layer: the model has {} experts in a layer; keep at most these",
                                     slots, plan.experts()));
}

void check_policies(const ExpertOffloadSpec& spec, const Place& named) {
  if (const auto problem = needs_future(*spec.cache.make())) throw UserError(named, *problem);
  const auto miss = spec.miss.make();
  if (const auto problem = miss->problem()) throw UserError(named, *problem);
  if (miss->computes_on_host() && !spec.host)
    throw UserError(named, fmt::format("miss policy '{}' computes on the host; give host.flop_per_s and "
                                       "host.memory_bytes_per_s",
                                       spec.miss.policy()));
}

/// Of a layer.
std::int64_t tuned_experts(const Llm& llm, const SharedModelSpec& spec) {
  return std::llround(spec.tuned_fraction * real(spec.experts.value_or(llm.experts->count)));
}

void check_pool(const Pool& pool, const Place& named) {
  if (!pool.llm.experts) throw UserError(named, fmt::format("'{}' has no experts to offload", pool.llm.name));
  if (pool.llm.experts->count > RoutingTrace::most_experts)
    throw UserError(named, fmt::format("'{}' has {} experts in a layer; at most {} can be offloaded", pool.llm.name,
                                       pool.llm.experts->count, RoutingTrace::most_experts));
  constexpr std::int64_t most_in_a_layer = std::numeric_limits<std::uint16_t>::max();
  std::int64_t models = 1;
  std::int64_t all = pool.llm.experts->count;
  for (const SharedModelSpec& spec : pool.spec.expert_offload->models) {
    if (spec.experts && (*spec.experts < pool.llm.experts->active || *spec.experts > pool.llm.experts->count))
      throw UserError(
          named,
          fmt::format("model '{}' keeps {} experts of a layer; '{}' has {} and needs {} for each token", spec.name,
                      *spec.experts, pool.llm.name, pool.llm.experts->count, pool.llm.experts->active));
    models += spec.count;
    all += spec.count * tuned_experts(pool.llm, spec);
  }
  if (all >= most_in_a_layer)
    throw UserError(named, fmt::format("{} models of '{}' have {} experts in a layer; fewer than {} can be offloaded",
                                       models, pool.llm.name, all, most_in_a_layer));
}

/// `path`, from the folder of the scenario.
std::string from(const std::string& folder, const std::string& path) {
  return path.empty() ? path : (std::filesystem::path(folder) / path).string();
}

/// Every model's tokens go ways of their own.
std::string of_model(const Pool& pool, std::size_t model) {
  return model == 0 ? pool.spec.name : pool.spec.name + "/" + std::to_string(model);
}

/// How a model's tokens go, which it learns by.
void record_profile(const Pool& pool, std::uint64_t seed, ExpertPlan& plan) {
  const std::size_t model = plan.profiles.size();
  Rng rng(seed, "expert profile/" + of_model(pool, model));
  plan.profiles.push_back(record_routing(*make_routing(pool, plan, model, seed), plan.shape,
                                         pool.spec.expert_offload->profile_tokens / profile_tokens_per_request,
                                         profile_tokens_per_request, rng));
}

/// A routing that was recorded or counted knows the experts of one model, not those that pruning left of it.
void check_pruned(const Pool& pool, const SharedModelSpec& spec, const ExpertPlan& plan, const Place& named) {
  ExpertShape left = plan.shape;
  left.experts = *spec.experts;
  if (const auto problem = pool.spec.expert_offload->routing.make()->problem(left, *plan.data))
    throw UserError(named, fmt::format("model '{}': {}", spec.name, *problem));
}

void add_models(const Pool& pool, std::uint64_t seed, const Place& named, ExpertPlan& plan) {
  plan.models.push_back({.name = pool.llm.name, .experts = plan.shape.experts});
  record_profile(pool, seed, plan);
  for (const SharedModelSpec& spec : pool.spec.expert_offload->models) {
    std::vector<bool> kept;
    if (spec.experts) check_pruned(pool, spec, plan, named);
    if (spec.experts) kept = most_used(count_uses(plan.profiles[0]), plan.shape, *spec.experts);
    for (std::int64_t copy = 0; copy < spec.count; ++copy) {
      plan.models.push_back({.name = spec.count == 1 ? spec.name : fmt::format("{} {}", spec.name, copy + 1),
                             .kept = kept,
                             .experts = spec.experts.value_or(plan.shape.experts),
                             .gained_points = spec.gained_points});
      record_profile(pool, seed, plan);
      const std::vector<std::uint64_t> uses = count_uses(plan.profiles.back());
      plan.shared.add({.kept = kept.empty() ? std::vector(uses.size(), true) : kept,
                       .tuned = most_used(uses, plan.shape, tuned_experts(pool.llm, spec), kept)});
    }
  }
}

}  // namespace

RoutingData routing_data(const ExpertRouting& routing, const ExpertShape& shape, const std::string& folder,
                         const Place& named) {
  RoutingFiles files = routing.files();
  for (std::string* path : {&files.trace, &files.counts, &files.co_activation}) *path = from(folder, *path);
  RoutingData data = read_routing(files, shape, named);
  if (const auto problem = routing.problem(shape, data)) throw UserError(named, *problem);
  return data;
}

ExpertPlan plan_experts(const Pool& pool, const Node& node, std::uint64_t seed, const std::string& folder,
                        const Place& named) {
  check_pool(pool, named);
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  check_policies(spec, named);
  ExpertPlan plan{.shape = expert_shape(pool.llm), .shared = SharedExperts(expert_shape(pool.llm))};
  plan.expert_bytes = expert_weight_bytes(pool.llm, pool.weights().experts);
  plan.data = std::make_unique<RoutingData>(routing_data(*spec.routing.make(), plan.shape, folder, named));
  add_models(pool, seed, named, plan);
  plan.slots = slots_of(pool, plan, named) / groups(pool) * groups(pool);  // as many on each
  const double host_bytes = spec.host_bytes.value_or(node.host_memory_bytes / real(pool.spec.replicas));
  if (host_bytes > node.host_memory_bytes)
    throw UserError(
        named, fmt::format("host_bytes {:.3g} are more than the node's {:.3g}", host_bytes, node.host_memory_bytes));
  plan.host_experts =
      std::min(plan.shape.layers * plan.experts(), static_cast<std::int64_t>(host_bytes / plan.expert_bytes));
  return plan;
}

std::unique_ptr<ExpertRouting> make_routing(const Pool& pool, const ExpertPlan& plan, std::size_t model,
                                            std::uint64_t seed) {
  auto routing = pool.spec.expert_offload->routing.make();
  Rng rng(seed, "expert routing/" + of_model(pool, model));
  ExpertShape shape = plan.shape;
  shape.experts = plan.models[model].experts;
  routing->resize(shape, *plan.data, rng);
  if (plan.models[model].kept.empty()) return routing;
  return std::make_unique<PrunedRouting>(std::move(routing), plan.models[model].kept, plan.shape);
}

}  // namespace servecast
