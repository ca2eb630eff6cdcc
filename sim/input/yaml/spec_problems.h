#pragma once
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// Collects what is wrong with a settings struct beyond single values, each with the path of its setting.
class SpecProblems {
 public:
  explicit SpecProblems(const YamlText* text) : text_(text) {}  // null: settings that were not read from a file

  void add(const std::string& path, const std::string& message) {
    problems_.push_back({text_ ? text_->place(path) : Place{}, path, message});
  }
  struct Given {
    std::string key;
    bool given = false;
  };
  /// A problem unless exactly one of these settings of the group at `path` is given.
  void exactly_one(const std::string& path, const std::vector<Given>& alternatives) {
    std::vector<std::string> known;
    std::vector<std::string> given;
    for (const Given& a : alternatives) {
      known.push_back(a.key);
      if (a.given) given.push_back(a.key);
    }
    const std::string where = path.empty() ? "the file" : "'" + path + "'";
    if (given.empty()) add(path, where + " needs one of: " + join(known));
    if (given.size() > 1) add(path, where + " takes one of these, not several: " + join(given));
  }
  const std::vector<Problem>& all() const { return problems_; }

 private:
  const YamlText* text_;
  std::vector<Problem> problems_;
};

}  // namespace servecast
