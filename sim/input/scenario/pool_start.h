#pragma once
#include <optional>
#include <string>

#include "models/hw/engine/engine_start.h"

namespace servecast {

struct Pool;
struct ScenarioSpec;

/// How the replicas of a pool come up, where the scenario leaves it to the pool's engine and links.
struct PoolStart {
  StartPhases phases{};
  double wake_s = 0;  // of a replica of the warm reserve
};

/// Requires that the pool's memory is planned.
PoolStart pool_start(const ScenarioSpec& scenario, const Pool& pool);

/// What of that is the engine's, for a reader of the report; nothing where replicas never start, or all is stated.
std::optional<std::string> engine_start_note(const ScenarioSpec& scenario, const Pool& pool);
/// What steps of a pool's new processes wait for when they first use kernels, for such a reader; nothing where the
/// pool has no new process.
std::optional<std::string> first_use_note(const Pool& pool, bool any_started);

}  // namespace servecast
