#pragma once
#include <vector>

namespace servecast {

class NodeGroups;
struct Pool;
struct YamlText;

/// Where a pool's placement sends requests on: is there such a pool, and can it take them? What is wrong is left in
/// the text's problems. What a placement asks of replicas is noted down with their pools.
void check_placements(YamlText& text, const NodeGroups& groups, std::vector<Pool>& pools);

}  // namespace servecast
