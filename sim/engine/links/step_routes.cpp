#include "sim/engine/links/step_routes.h"

#include <algorithm>
#include <map>
#include <utility>

#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

using Nodes = std::vector<std::vector<GpuPlace>>;

Nodes by_node(std::span<const GpuPlace> stage) {
  std::map<std::int64_t, std::vector<GpuPlace>> nodes;
  for (const GpuPlace& gpu : stage) nodes[gpu.node].push_back(gpu);
  Nodes all;
  for (auto& [node, gpus] : nodes) all.push_back(std::move(gpus));
  return all;
}

const GpuPlace& inside(const Nodes& nodes, std::size_t node, std::size_t gpu) {
  return nodes[node][(gpu + 1) % nodes[node].size()];
}

const GpuPlace& across(const Nodes& nodes, std::size_t node, std::size_t gpu, const Pool& pool) {
  const std::size_t distance = pool.shape().ranks() > 1 ? 1 + gpu % (nodes.size() - 1) : 1;
  return nodes[(node + distance) % nodes.size()][gpu];
}

}  // namespace

StepRoutes step_routes(const Pool& pool, std::span<const GpuPlace> stage, Reach reach, const Wiring& wiring) {
  StepRoutes routes;
  const auto nodes = by_node(stage);
  std::map<std::size_t, double> flows_on_link;
  for (std::size_t node = 0; node < nodes.size(); ++node)
    for (std::size_t i = 0; i < nodes[node].size(); ++i) {
      const GpuPlace& from = nodes[node][i];
      const GpuPlace& to = reach == Reach::inside_node ? inside(nodes, node, i) : across(nodes, node, i, pool);
      Path path = wiring.peer_path(from, to);
      path.latency_s = 0;  // is in the step's time
      for (const std::size_t link : path.links) flows_on_link[link] += 1;
      routes.transfers.push_back(
          {.kind = collective_kind, .from = Wiring::name(from), .to = Wiring::name(to), .path = std::move(path)});
    }
  for (const auto& [link, flows] : flows_on_link)
    routes.s_per_byte = std::max(routes.s_per_byte, flows / wiring.platform().links[link].bytes_per_s);
  return routes;
}

}  // namespace servecast
