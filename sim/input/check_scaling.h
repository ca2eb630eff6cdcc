#pragma once
#include <vector>

#include "sim/input/scenario.h"

namespace servecast {

/// Why a pool's replicas cannot come and go while the run goes on, beyond where its requests go; empty: they can.
std::string tied_down(const Pool& pool);

/// Pools with an autoscaler: what does not go together.
void check_scaling(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools);

}  // namespace servecast
