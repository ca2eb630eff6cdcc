#include "sim/cli/runs/plan_emit.h"

#include "sim/input/scenario/scenario.h"
#include "sim/plan/emit/vllm.h"

namespace servecast {

std::string emitted(const std::string& what, const Scenario& scenario) {
  const std::vector<VllmPool> pools = vllm_pools(scenario);
  return what == emit_kubernetes ? kubernetes_manifest(pools) : vllm_commands(pools);
}

}  // namespace servecast
