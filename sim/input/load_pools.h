#pragma once
#include <vector>

#include "sim/input/scenario.h"

namespace servecast {

/// Looks up, sizes, checks and places the pools of a scenario; what is wrong is left in the text's problems.
std::vector<Pool> load_pools(YamlText& text, const ScenarioSpec& spec, const Node& node, const Fabric& fabric);

}  // namespace servecast
