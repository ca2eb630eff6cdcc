#pragma once
#include <vector>

#include "sim/input/scenario/hardware_files.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

/// What else a pool is loaded with.
struct PoolLoading {
  const NodeGroups& groups;
  HardwareFiles& files;
  ReadyProfiles* profiles = nullptr;  // null: `latency` stays empty, and `sized_by` is given instead
};

/// Looks up, sizes, checks and places the pools of a scenario; what is wrong is left in the text's problems.
std::vector<Pool> load_pools(YamlText& text, const ScenarioSpec& spec, const PoolLoading& with);

}  // namespace servecast
