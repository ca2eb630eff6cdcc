#pragma once
#include <vector>

namespace servecast {

struct Pool;
struct ScenarioSpec;
struct YamlText;

/// Pools with an autoscaler: whether their numbers make sense.
void check_scaling(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools);

}  // namespace servecast
