#include "sim/input/resolve/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "models/hw/additions/image_encoder.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

bool brings_images(const ScenarioSpec& scenario, std::size_t pool) {
  const auto brings = [&](const SourceSpec& source) {
    const std::string& to = source.labels.pool;
    const bool here = to.empty() ? pool == 0 : to == scenario.pools[pool].name;
    return source.labels.images && (here || !scenario.gateway.empty());
  };
  return brings(scenario.workload.source) || std::ranges::any_of(scenario.workload.mix, brings);
}

std::optional<PoolProblem> images_problem(const ScenarioSpec& scenario, const Pool& pool) {
  if (!pool.images || pool.llm.vision || !scenario.gateway.empty()) return std::nullopt;
  return PoolProblem{".llm", fmt::format("its requests bring images, and {} has no encoder of images; name a model "
                                         "that has one, such as gemma-3-27b, or leave out 'images'",
                                         pool.llm.name)};
}

void add_images(Pool& pool) {
  if (pool.images && !pool.llm.vision)
    pool.notes.push_back(pool.llm.name + " has no encoder of images: those of requests are like text to it");
  if (!pool.llm.vision) return;
  pool.notes.push_back(fmt::format("the encoder of images, {:.2f} billion parameters, {}",
                                   pool.llm.vision->parameters / 1e9,
                                   pool.images ? "has no measured kernel: its time is derived from its arithmetic"
                                               : "takes memory; requests are text, so it never runs"));
  if (pool.images)
    pool.latency = make_with_images(std::move(pool.latency), *pool.llm.vision, pool.gpu.kernels.value(),
                                    pool.spec.tensor_parallel);
}

}  // namespace servecast
