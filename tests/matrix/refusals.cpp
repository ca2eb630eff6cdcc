#include "tests/matrix/refusals.h"

#include <sstream>

#include "sim/input/rules/combinations.h"

namespace servecast::matrix {
namespace {

/// Empty: none.
std::string row_of(const std::string& line) {
  for (const Combination& row : refused_combinations()) {
    const std::string said =
        std::string("cannot have ") + row.refused->name + " together with " + row.with->name + ": ";
    if (line.find(said) != std::string::npos) return std::string(row.refused->name) + " + " + row.with->name;
  }
  return {};
}

}  // namespace

std::vector<std::string> rows_of(const std::string& message) {
  std::vector<std::string> rows;
  std::istringstream lines(message);
  for (std::string line; std::getline(lines, line);) {
    if (line.empty()) continue;
    const std::string row = row_of(line);
    if (row.empty()) return {};
    rows.push_back(row);
  }
  return rows;
}

}  // namespace servecast::matrix
