#include "tests/matrix/draw/draw_scenario.h"

#include <algorithm>

#include "models/policy/gateway.h"
#include "tests/matrix/draw/draw_failures.h"
#include "tests/matrix/draw/draw_gateway.h"
#include "tests/matrix/draw/draw_pools.h"
#include "tests/matrix/draw/draw_workload.h"

namespace servecast::matrix {
namespace {

const std::vector<std::string> group_names{"first", "other"};
const std::vector<std::string> fabrics{"single_switch", "single_switch", "fat_tree", "fat_tree_4_to_1"};

Tree draw_slo(Draw draw) {
  Tree slo{{"ttft_s", draw.at("ttft").pick(std::vector{0.1, 1.0})}};
  if (draw.at("tpot?").chance(0.5)) slo["tpot_s"] = 0.03;
  if (draw.at("e2e?").chance(0.2)) slo["e2e_s"] = 3;
  if (draw.at("classes?").chance(0.2)) slo["classes"] = Tree::array({{{"class", "short"}, {"ttft_s", 0.3}}});
  return slo;
}

bool any_has(const Tree& pools, const char* key) {
  return std::any_of(pools.begin(), pools.end(), [&](const Tree& pool) { return pool.contains(key); });
}

std::int64_t replicas_of(const Tree& pools) {
  std::int64_t sum = 0;
  for (const Tree& pool : pools) sum += pool.at("replicas").get<std::int64_t>();
  return sum;
}

/// Kinds of machines that pools stand on, in order.
std::vector<Machine> used(const std::vector<Machine>& machines, const Tree& pools) {
  std::vector<Machine> all;
  std::ranges::copy_if(machines, std::back_inserter(all), [&](const Machine& machine) {
    return std::any_of(pools.begin(), pools.end(), [&](const Tree& pool) { return pool.at("gpu") == machine.gpu; });
  });
  return all;
}

/// A group for each kind of machine; the short form for one.
Tree draw_cluster(Draw draw, const std::vector<Machine>& machines, const Tree& pools) {
  Tree groups = Tree::array();
  for (const Machine& machine : machines) {
    Draw of = groups.empty() ? draw : draw.at("other");
    const std::int64_t nodes = nodes_for(pools, machine) + (of.at("more").chance(0.2) ? 1 : 0);
    groups.push_back({{"node", machine.node}, {"nodes", nodes}, {"fabric", of.at("fabric").pick(fabrics)}});
  }
  if (groups.size() == 1) return groups[0];
  for (std::size_t i = 0; i < groups.size(); ++i) groups[i]["name"] = group_names[i];
  Draw link = draw.at("link");
  return {{"groups", groups},
          {"links",
           {{{"between", group_names},
             {"bytes_per_s", link.pick(std::vector{3e9, 1e11})},
             {"latency_s", link.at("latency").pick(std::vector{1e-6, 4e-3})}}}}};
}

Parts parts_of(const Tree& cluster, const std::vector<Machine>& machines, const Tree& pools) {
  Parts parts{.node_gpus = machines.front().gpus,
              .replicas = replicas_of(pools),
              .spine = true,
              .scales = any_has(pools, "autoscaler")};
  for (const Machine& machine : machines) parts.node_gpus = std::min(parts.node_gpus, machine.gpus);
  parts.trunk = cluster.contains("links");
  parts.several_groups = cluster.contains("groups");
  for (const Tree& group : parts.several_groups ? cluster["groups"] : Tree::array({cluster})) {
    parts.nodes += group.at("nodes").get<std::int64_t>();
    parts.spine &= group.at("fabric") != "single_switch";
  }
  return parts;
}

}  // namespace

Tree draw_scenario(std::uint64_t seed) {
  const Draw draw(seed);
  const std::vector<Machine> kinds = draw_machines(draw.at("machine"));
  const Tree pools = draw_pools(draw.at("pools"), kinds);
  const std::vector<Machine> machines = used(kinds, pools);
  const Tree gateway = draw.at("gateway?").chance(0.3) ? draw_gateway(draw.at("gateway"), pools) : Tree::array();
  Tree scenario{{"seed", seed}, {"workload", draw_workload(draw.at("workload"), pools, gateway)}};
  if (draw.at("until?").chance(0.04)) scenario["until_s"] = 3;
  if (any_has(pools, "autoscaler") || draw.at("slo?").chance(0.5)) scenario["slo"] = draw_slo(draw.at("slo"));
  scenario["cluster"] = draw_cluster(draw, machines, pools);
  if (draw.at("failures?").chance(any_has(pools, "autoscaler") ? 0.5 : 0.25))
    scenario["failures"] = draw_failures(draw.at("failures"), parts_of(scenario["cluster"], machines, pools));
  if (!gateway.empty()) {
    scenario["gateway"] = gateway;
    scenario["quality"] = draw_quality(draw.at("quality"), pools, gateway);
  }
  if (draw.at("perceived").chance(0.15)) scenario["perceived"].push_back({{"first_field_tokens", 5}});
  if (draw.at("account").chance(0.15)) scenario["account"] = {{"pue", 1.2}, {"co2_g_per_kwh", 400}};
  scenario["pools"] = pools;
  if (machines.size() > 1)
    for (Tree& pool : scenario["pools"]) pool["group"] = group_names[pool["gpu"] == machines[0].gpu ? 0 : 1];
  return scenario;
}

}  // namespace servecast::matrix
