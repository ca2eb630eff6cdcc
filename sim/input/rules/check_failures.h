#pragma once
#include <vector>

namespace servecast {

class NodeGroups;
struct Pool;
struct ScenarioSpec;
struct YamlText;

/// What is wrong with `failures`, held against cluster and pools, is left in the text's problems.
void check_failures(YamlText& text, const ScenarioSpec& spec, const NodeGroups& groups,
                    const std::vector<Pool>& pools);

}  // namespace servecast
