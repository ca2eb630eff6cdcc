#pragma once
#include <string>

namespace servecast {

struct Node;
struct Pool;
struct YamlText;

/// Tiers stand in the order of their kinds, and DRAM has room for those that are in it. What is wrong with those of
/// the pool at `path` is left in the text's problems.
void check_kv_tiers(YamlText& text, const std::string& path, const Pool& pool, const Node& node);

}  // namespace servecast
