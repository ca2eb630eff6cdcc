#include "sim/cli/program/problem_json.h"

#include <nlohmann/json.hpp>

#include "models/base/error.h"

namespace servecast {

nlohmann::ordered_json problem_json(const Problem& problem) {
  nlohmann::ordered_json json{{"file", problem.place.file}, {"line", nullptr}, {"column", nullptr}};
  if (problem.place.line > 0) json["line"] = problem.place.line;
  if (problem.place.column > 0) json["column"] = problem.place.column;
  json["path"] = problem.path;
  json["message"] = problem.message;
  return json;
}

}  // namespace servecast
