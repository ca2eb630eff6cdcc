#pragma once
#include <vector>

#include "sim/input/scenario.h"

namespace servecast {

/// What is wrong with `failures`, held against cluster and pools, is left in the text's problems.
void check_failures(YamlText& text, const ScenarioSpec& spec, const Node& node, const Fabric& fabric,
                    const std::vector<Pool>& pools);

}  // namespace servecast
