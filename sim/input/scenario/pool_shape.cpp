#include "sim/input/scenario/pool_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>

#include "models/base/counts.h"

namespace servecast {
namespace {

bool whole_nodes(std::int64_t gpus, const Node& node) { return gpus <= node.gpus || gpus % node.gpus == 0; }

std::optional<ShapeProblem> tensor_problem(const PoolSpec& spec, const Node& node) {
  if (spec.tensor_parallel <= node.gpus) return std::nullopt;
  const auto problem = [](std::string message) { return ShapeProblem{".tensor_parallel", std::move(message)}; };
  if (!whole_nodes(spec.tensor_parallel, node))
    return problem(
        fmt::format("{} GPUs cannot share a layer in nodes of {}; use at most {}, or whole nodes: a multiple of {}",
                    spec.tensor_parallel, node.gpus, node.gpus, node.gpus));
  if (node.nics == 0)
    return problem(fmt::format("{} GPUs cannot share a layer: the nodes of {} have no network ports",
                               spec.tensor_parallel, node.gpus));
  return std::nullopt;
}

/// Those of each rank are neighbours: they share a node, or take whole ones.
std::optional<ShapeProblem> rank_problem(const PoolSpec& spec, const Node& node) {
  const std::int64_t tensors = spec.tensor_parallel;
  if (!shape(spec).whole_groups())
    return ShapeProblem{
        ".expert_parallel",
        fmt::format("{} groups of experts do not divide {} GPUs evenly; use a divisor, or with ranks of "
                    "tensor_parallel {} left to it a multiple of that",
                    spec.expert_parallel, tensors * std::max<std::int64_t>(1, spec.data_parallel), tensors)};
  if (shape(spec).gpus_per_stage() <= node.gpus || node.gpus % tensors == 0 || tensors % node.gpus == 0)
    return std::nullopt;
  return ShapeProblem{".tensor_parallel",
                      fmt::format("ranks of {} GPUs would lie across nodes of {}; use a divisor or a multiple of {}",
                                  tensors, node.gpus, node.gpus)};
}

std::optional<ShapeProblem> expert_problem(const PoolSpec& spec, const Node& node) {
  const auto problem = [](std::string message) { return ShapeProblem{".expert_parallel", std::move(message)}; };
  if (auto of_rank = rank_problem(spec, node)) return of_rank;
  const std::int64_t gpus = shape(spec).gpus_per_stage();
  if (!whole_nodes(gpus, node)) return problem(fmt::format("{} GPUs are no whole nodes of {}", gpus, node.gpus));
  if (gpus > node.gpus && node.nics == 0)
    return problem(fmt::format("the nodes of {} GPUs have no network ports to reach experts elsewhere", node.gpus));
  const std::string& model = spec.latency.model;
  if (model == "table" || (model == "roofline" && shape(spec).ranks() > 1))
    return problem(fmt::format("needs measured kernels: latency model 'profile' or 'auto', not '{}'", model));
  return std::nullopt;
}

/// Of what a node's GPUs send evenly to all the others, the share that the uplinks of its leaf switch can carry when
/// nothing else does.
double uplink_share(const std::map<std::int64_t, std::int64_t>& nodes_by_leaf, const Fabric& fabric) {
  double nodes = 0;
  for (const auto& [leaf, count] : nodes_by_leaf) nodes += real(count);
  double share = 1;
  for (const auto& [leaf, count] : nodes_by_leaf) {
    const double leaving = (nodes - real(count)) / (nodes - 1);
    if (leaving > 0)
      share = std::min(share, real(fabric.nodes_per_leaf) / (real(count) * fabric.oversubscription * leaving));
  }
  return share;
}

/// From a GPU of a stage to the next in a ring. Bridges join pairs, so the ring of more GPUs goes over PCIe as well.
double inside_rate(const Gpu& gpu, const Node& node, const Shape& shape) {
  const bool bridged = node.gpu_link == "nvswitch" || (node.gpu_link == "pairs" && shape.gpus_per_stage() == 2);
  return bridged ? peer_bytes_per_s(gpu) : std::min(gpu.pcie_h2d_bytes_per_s, gpu.pcie_d2h_bytes_per_s);
}

}  // namespace

std::optional<ShapeProblem> shape_problem(const PoolSpec& spec, const Node& node) {
  if (spec.expert_parallel > 1 || spec.data_parallel > 1) return expert_problem(spec, node);
  return tensor_problem(spec, node);
}

StageLink stage_link(const Shape& shape, const ReplicaPlace& place, const TransferLaws& copies,
                     const NodeGroup& group) {
  const Node& node = group.node;
  const Fabric& fabric = group.fabric;
  if (shape.pipeline_parallel == 1) return {};
  const GpuPlace& from = place.gpus[0];
  const GpuPlace& to = place.gpus[static_cast<std::size_t>(shape.gpus_per_stage())];
  if (from.node == to.node)
    return {.bytes_per_s = copies.peer_bytes_per_s(), .latency_s = node.gpu_link_latency_s + copies.peer_start_s()};
  return {.bytes_per_s = std::min(node.nic_bytes_per_s * fabric.efficiency_fraction, copies.d2h.link_bytes_per_s()),
          .latency_s = fabric.end_latency_s + fabric.hop_latency_s};
}

NodeLink node_link(const Shape& shape, const ReplicaPlace& place, const Gpu& gpu, const TransferLaws& copies,
                   const NodeGroup& group) {
  const Node& node = group.node;
  const Fabric& fabric = group.fabric;
  std::map<std::int64_t, std::int64_t> gpus_by_node;
  const auto first_stage = static_cast<std::size_t>(shape.gpus_per_stage());
  for (const GpuPlace& at : std::span(place.gpus).first(first_stage)) ++gpus_by_node[at.node];
  NodeLink link{.node_gpus = gpus_by_node.begin()->second, .inside_bytes_per_s = inside_rate(gpu, node, shape)};
  if (gpus_by_node.size() == 1) return link;
  std::map<std::int64_t, std::int64_t> nodes_by_leaf;
  for (const auto& [at, gpus] : gpus_by_node) ++nodes_by_leaf[group.switch_of(at)];
  const double ports = std::min(1.0, real(node.nics) / real(node.gpus));
  const double port = ports * node.nic_bytes_per_s * fabric.efficiency_fraction * uplink_share(nodes_by_leaf, fabric);
  link.bytes_per_s = std::min({port, copies.d2h.link_bytes_per_s(), copies.h2d.link_bytes_per_s()});
  link.latency_s = fabric.end_latency_s + (nodes_by_leaf.size() > 1 ? 3 : 1) * fabric.hop_latency_s;
  return link;
}

}  // namespace servecast
