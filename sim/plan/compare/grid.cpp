#include "sim/plan/compare/grid.h"

#include <algorithm>

#include "models/base/error.h"

namespace servecast {
namespace {

/// At commas that stand in no bracket, brace or quote.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  char quote = 0;
  for (const char c : text) {
    if (quote != 0) {
      if (c == quote) quote = 0;
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '[' || c == '{') {
      ++depth;
    } else if (c == ']' || c == '}') {
      --depth;
    }
    if (c == ',' && depth == 0 && quote == 0)
      values.emplace_back();
    else
      values.back() += c;
  }
  return values;
}

}  // namespace

SweepAxis parse_axis(const std::string& word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0)
    throw UserError("'" + word + "' names no values; write path=a,b,c, e.g. pools[0].replicas=1,2,4");
  SweepAxis dimension{.path = word.substr(0, equals), .values = split_values(word.substr(equals + 1))};
  for (const std::string& value : dimension.values)
    if (value.empty()) throw UserError("'" + word + "' has an empty value; write path=a,b,c");
  return dimension;
}

std::vector<std::vector<std::string>> grid(const std::vector<SweepAxis>& dimensions) {
  std::vector<std::vector<std::string>> points(1);
  std::vector<std::string> paths;
  for (const SweepAxis& dimension : dimensions) {
    if (std::ranges::find(paths, dimension.path) != paths.end())
      throw UserError("'" + dimension.path + "' is given twice; write all of its values after one --over");
    paths.push_back(dimension.path);
    std::vector<std::vector<std::string>> longer;
    for (const std::vector<std::string>& point : points)
      for (const std::string& value : dimension.values) {
        longer.push_back(point);
        longer.back().push_back(dimension.path + "=" + value);
      }
    points = std::move(longer);
  }
  return points;
}

}  // namespace servecast
