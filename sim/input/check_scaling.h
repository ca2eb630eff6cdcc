#pragma once
#include <string>
#include <vector>

namespace servecast {

struct Pool;
struct ScenarioSpec;
struct YamlText;

/// Why a pool's replicas cannot come and go while the run goes on, beyond where its requests go; empty: they can.
std::string tied_down(const Pool& pool);

/// Pools with an autoscaler: what does not go together.
void check_scaling(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools);

}  // namespace servecast
