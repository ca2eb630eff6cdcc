#include "sim/engine/make_experts.h"

#include <algorithm>
#include <map>

#include "models/policy/routing_statistics.h"
#include "sim/input/load_experts.h"

namespace servecast {
namespace {

double real(std::int64_t n) { return static_cast<double>(n); }

/// Every GPU gets its slice over its own PCIe link, and those below one root share that. The slowest counts.
OwnLinks::Rates link_rates(const Pool& pool, std::int64_t replica, const Node& node) {
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  std::map<std::int64_t, std::int64_t> below_root;
  for (const GpuPlace& gpu : pool.places[static_cast<std::size_t>(replica)].gpus)
    ++below_root[gpu.gpu / node.gpus_per_pcie_root];
  double gpu_rate = pool.gpu.pcie_h2d_bytes_per_s;
  for (const auto& [root, gpus] : below_root) gpu_rate = std::min(gpu_rate, node.pcie_root_bytes_per_s / real(gpus));
  const double all = gpu_rate * real(pool.spec.tensor_parallel);
  return {.host_bytes_per_s = all * spec.copy_rate_fraction,
          .disk_bytes_per_s = std::min(all, node.nvme_bytes_per_s) * spec.copy_rate_fraction,
          .streams = spec.streams};
}

ExpertTimes expert_times(const Pool& pool) {
  const DataType weights = *data_type(pool.spec.weights);
  const GemmFits& fits = pool.gpu.kernels.value().moe;
  const auto& own = fits.of(weights);
  ExpertTimes times{.fit = own ? *own : fits.bf16.value(),
                    .weights = weights,
                    .llm = pool.llm,
                    .tensor_parallel = pool.spec.tensor_parallel};
  if (const auto& host = pool.spec.expert_offload->host) {
    const double parameters = pool.experts->expert_bytes / facts(weights).bytes;
    times.host_expert_s = pool.experts->expert_bytes / host->memory_bytes_per_s;
    times.host_token_s = 2 * parameters / host->flop_per_s;
  }
  return times;
}

}  // namespace

std::unique_ptr<ExpertOffload> make_experts(const Pool& pool, std::int64_t replica, std::uint64_t seed,
                                            const Node& node) {
  if (!pool.experts) return nullptr;
  const ExpertOffloadSpec& spec = *pool.spec.expert_offload;
  const ExpertPlan& plan = *pool.experts;
  auto miss = spec.miss.make();
  miss->prepare(plan.profile);
  return std::make_unique<ExpertOffload>(
      ExpertOffloadSetup{.shape = plan.shape,
                         .routing = make_routing(pool, plan, seed),
                         .cache = spec.cache.make(),
                         .prefetch = spec.prefetch.make(),
                         .miss = std::move(miss),
                         .long_run_uses = count_uses(plan.profile),
                         .slots = plan.slots,
                         .host_experts = plan.host_experts,
                         .expert_bytes = plan.expert_bytes,
                         .links = link_rates(pool, replica, node),
                         .times = expert_times(pool),
                         .rng = Rng(seed, "experts/" + pool.spec.name + "/" + std::to_string(replica))});
}

}  // namespace servecast
