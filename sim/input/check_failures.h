#pragma once
#include <vector>

namespace servecast {

struct Fabric;
struct Node;
struct Pool;
struct ScenarioSpec;
struct YamlText;

/// What is wrong with `failures`, held against cluster and pools, is left in the text's problems.
void check_failures(YamlText& text, const ScenarioSpec& spec, const Node& node, const Fabric& fabric,
                    const std::vector<Pool>& pools);

}  // namespace servecast
