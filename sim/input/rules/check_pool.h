#pragma once
#include <string>

namespace servecast {

struct Node;
struct Pool;
struct YamlText;

/// Whether the policies and the shape of a pool, whose model and GPU are known, can go together; else what is wrong is
/// left in the text's problems. `path`: of the pool.
bool check_pool(YamlText& text, const std::string& path, const Pool& pool, const Node& node);

}  // namespace servecast
