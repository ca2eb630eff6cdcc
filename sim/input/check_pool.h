#pragma once
#include <string>

#include "sim/input/scenario.h"

namespace servecast {

/// Whether the policies and the shape of a pool, whose model and GPU are known, can go together; else what is wrong is
/// left in the text's problems. `path`: of the pool.
bool check_pool(YamlText& text, const std::string& path, const Pool& pool, const Node& node);

}  // namespace servecast
