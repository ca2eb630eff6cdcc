#pragma once
#include <string>
#include <vector>

namespace servecast::matrix {

/// The rows of the table of refused combinations that a message of `servecast` names, as "feature + feature
/// (obstacle)". Empty where any line of it is about something else.
std::vector<std::string> rows_of(const std::string& message);

}  // namespace servecast::matrix
