#pragma once
#include <string>

#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// Runs a look-up that throws UserError; the error becomes one of the scenario's problems, at the setting that led to
/// it.
template <class LookUp>
bool try_at(YamlText& text, const std::string& path, LookUp look_up) {
  try {
    look_up();
    return true;
  } catch (const UserError& error) {
    for (Problem problem : error.problems()) {
      if (problem.path.empty()) problem.path = path;
      if (problem.place.line == 0) {  // a whole file, e.g. a missing one: say which file named it
        const Place named = text.place(problem.path);
        if (!problem.place.file.empty() && problem.place.file != text.file && problem.place.file != named.file)
          problem.message = problem.place.file + " " + problem.message;
        problem.place = named;
      }
      text.problems.push_back(std::move(problem));
    }
    return false;
  }
}

}  // namespace servecast
