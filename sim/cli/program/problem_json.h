#pragma once
#include <nlohmann/json_fwd.hpp>

namespace servecast {

struct Problem;

/// One mistake for a program: `file`, `line`, `column`, `path` and `message`; line and column are null where it has
/// none.
nlohmann::ordered_json problem_json(const Problem& problem);

}  // namespace servecast
