#include "sim/input/scenario/pool_start.h"

#include <fmt/format.h>

#include "models/base/counts.h"
#include "models/hw/llm/llm.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

StartPhases of_engine(const Pool& pool) {
  return pool.engine.start.phases(pool.llm, weight_bytes(pool.llm, pool.weights()), pool.shape().pipeline_parallel);
}

/// Of a pool without an autoscaler, whose replicas come back after a failure.
StartPhases standing_phases(const ScenarioSpec& scenario, const Pool& pool) {
  const bool stated = scenario.failures && scenario.failures->engine_init_s;
  return stated ? StartPhases{.engine_init_s = *scenario.failures->engine_init_s} : of_engine(pool);
}

/// vLLM maps its memory again and copies what it holds: H100, 16.4e9 bytes in 0.33 s (llm-d-benchmark pull request
/// 399), where PCIe takes 0.30; slower in virtual machines.
double over_pcie_s(const Pool& pool, double gpu_bytes) { return gpu_bytes / pool.gpu.pcie_h2d_bytes_per_s; }

StartPhases scaled_phases(const Pool& pool, const ScalingSpec& scaling) {
  if (const auto& snapshot = scaling.snapshot)
    return {.restore_s =
                snapshot->restore_s.value_or(over_pcie_s(pool, snapshot->bytes / real(pool.gpus_per_replica())))};
  StartPhases phases = of_engine(pool);
  phases.imports_s = scaling.imports_s.value_or(phases.imports_s);
  if (const auto rate = scaling.gpu_load_bytes_per_s) phases.gpu_load_s = pool.memory.weight_bytes / *rate;
  phases.engine_init_s = scaling.engine_init_s.value_or(phases.engine_init_s);
  return phases;
}

}  // namespace

PoolStart pool_start(const ScenarioSpec& scenario, const Pool& pool) {
  if (!pool.spec.scales()) return {.phases = standing_phases(scenario, pool)};
  const ScalingSpec scaling = pool.spec.scaling.value_or(ScalingSpec{});
  return {.phases = scaled_phases(pool, scaling),
          .wake_s = scaling.warm_start_s.value_or(over_pcie_s(pool, pool.memory.weight_bytes))};
}

std::optional<std::string> engine_start_note(const ScenarioSpec& scenario, const Pool& pool) {
  const bool scales = pool.spec.scales();
  const ScalingSpec scaling = pool.spec.scaling.value_or(ScalingSpec{});
  if (scales ? scaling.snapshot.has_value() : !scenario.failures || scenario.failures->engine_init_s.has_value())
    return std::nullopt;
  const StartPhases phases = of_engine(pool);
  struct Phase {
    const char* what;
    bool stated;
    double seconds;
  };
  std::string said;
  for (const Phase& phase :
       {Phase{"imports", scales && scaling.imports_s, phases.imports_s},
        Phase{"weights into GPU memory", scales && scaling.gpu_load_bytes_per_s, phases.gpu_load_s},
        Phase{"initialisation", scales && scaling.engine_init_s, phases.engine_init_s}})
    if (!phase.stated) said += fmt::format("{}{} {:.3g} s", said.empty() ? "" : ", ", phase.what, phase.seconds);
  if (said.empty()) return std::nullopt;
  return fmt::format("replicas start as {} does: {} ({})", pool.engine.name, said, pool.engine.start.source);
}

std::optional<std::string> first_use_note(const Pool& pool, bool any_started) {
  if (pool.spec.first_use == "warmed_up" && !any_started) return std::nullopt;
  const FirstUsePool of = pool.first_use();
  std::string said;
  for (const FirstUse& use : pool.engine.first_use) {
    if (!use.is_of(of.gpu, of.latent_attention)) continue;
    const std::string compiles =
        use.compile_s > 0 ? fmt::format(", where none are in a cache {:.3g} s more to compile them", use.compile_s)
                          : "";
    said += fmt::format("{}the first step with {} {:.3g} s to load kernels{} ({})", said.empty() ? "" : "; ",
                        use.step == "prompt" ? "a prompt" : "prompts that leaves others waiting", use.load_s,
                        compiles, use.source);
  }
  if (!said.empty()) return fmt::format("new processes of {} wait: {}", pool.engine.name, said);
  if (pool.spec.first_use == "warmed_up") return std::nullopt;
  return fmt::format(
      "first_use: {}, but what steps of {} on {} wait for when they first use kernels is not known: nothing",
      pool.spec.first_use, pool.engine.name, pool.gpu.name);
}

}  // namespace servecast
