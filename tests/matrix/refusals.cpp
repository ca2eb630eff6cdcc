#include "tests/matrix/refusals.h"

#include <sstream>

#include "sim/input/combinations.h"

namespace servecast::matrix {
namespace {

/// Pairs that are refused elsewhere and are not in the table, as long as there are any.
struct Outside {
  const char* message;
  const char* pair;
};
constexpr Outside outside[] = {
    {"experts cannot be offloaded with pipeline_parallel", "expert offload + pipeline parallelism"},
    {"experts cannot be offloaded with placement", "expert offload + prefill and decode on shares of the SMs"},
};

/// Empty: none.
std::string row_of(const std::string& line) {
  for (const Outside& other : outside)
    if (line.find(other.message) != std::string::npos) return std::string(other.pair) + " (outside the table)";
  for (const Combination& row : refused_combinations()) {
    const std::string said =
        std::string("cannot have ") + row.refused->name + " together with " + row.with->name + ": ";
    if (line.find(said) != std::string::npos)
      return std::string(row.refused->name) + " + " + row.with->name + " (" + std::string(name(row.obstacle)) + ")";
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
