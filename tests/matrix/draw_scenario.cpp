#include "tests/matrix/draw_scenario.h"

#include <algorithm>

#include "models/policy/gateway.h"
#include "tests/matrix/draw_failures.h"
#include "tests/matrix/draw_gateway.h"
#include "tests/matrix/draw_pools.h"
#include "tests/matrix/draw_workload.h"

namespace servecast::matrix {
namespace {

const std::vector<std::string> fabrics{"single_switch", "single_switch", "fat_tree", "fat_tree_4_to_1"};

Tree draw_slo(Draw draw) {
  Tree slo{{"ttft_s", draw.at("ttft").pick(std::vector{0.1, 1.0})}};
  if (draw.at("tpot?").chance(0.5)) slo["tpot_s"] = 0.03;
  if (draw.at("e2e?").chance(0.2)) slo["e2e_s"] = 3;
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

}  // namespace

Tree draw_scenario(std::uint64_t seed) {
  const Draw draw(seed);
  const Machine machine = draw_machine(draw.at("machine"));
  const Tree pools = draw_pools(draw.at("pools"), machine);
  const std::int64_t nodes = nodes_for(pools, machine) + (draw.at("more").chance(0.2) ? 1 : 0);
  const std::string fabric = draw.at("fabric").pick(fabrics);
  const Tree gateway = draw.at("gateway?").chance(0.3) ? draw_gateway(draw.at("gateway"), pools) : Tree::array();
  Tree scenario{{"seed", seed}, {"workload", draw_workload(draw.at("workload"), pools, gateway)}};
  if (draw.at("until?").chance(0.04)) scenario["until_s"] = 3;
  if (any_has(pools, "autoscaler") || draw.at("slo?").chance(0.5)) scenario["slo"] = draw_slo(draw.at("slo"));
  scenario["cluster"] = {{"node", machine.node}, {"nodes", nodes}, {"fabric", fabric}};
  if (draw.at("failures?").chance(0.25))
    scenario["failures"] = draw_failures(draw.at("failures"), {.nodes = nodes,
                                                               .node_gpus = machine.gpus,
                                                               .replicas = replicas_of(pools),
                                                               .spine = fabric != "single_switch"});
  if (!gateway.empty()) {
    scenario["gateway"] = gateway;
    scenario["quality"] = draw_quality(draw.at("quality"), pools, gateway);
  }
  if (draw.at("perceived").chance(0.15)) scenario["perceived"].push_back({{"first_field_tokens", 5}});
  if (draw.at("account").chance(0.15)) scenario["account"] = {{"pue", 1.2}, {"co2_g_per_kwh", 400}};
  scenario["pools"] = pools;
  return scenario;
}

}  // namespace servecast::matrix
