#pragma once
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace servecast {

/// Where in the user's input something stands. Lines and columns count from 1; 0 means "the whole file".
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

/// One thing that is wrong, where, and what would be right.
struct Problem {
  Place place;
  std::string path;  // of the setting, e.g. "pools[0].gpu"; empty outside a scenario
  std::string message;
};

/// "file:line:column: message", leaving out what is not known.
inline std::string to_string(const Problem& p) {
  std::string text = p.place.file;
  if (p.place.line > 0) text += ":" + std::to_string(p.place.line);
  if (p.place.column > 0) text += ":" + std::to_string(p.place.column);
  return text.empty() ? p.message : text + ": " + p.message;
}

/// The user gave us something wrong: a bad file, an unknown name, an impossible size.
/// main() prints one line per problem and exits with 2. Programming mistakes use assert() instead.
class UserError : public std::runtime_error {
 public:
  explicit UserError(std::vector<Problem> problems)
      : std::runtime_error(join(problems)), problems_(std::move(problems)) {}
  UserError(Place place, std::string message)
      : UserError(std::vector<Problem>{{std::move(place), "", std::move(message)}}) {}
  explicit UserError(std::string message) : UserError(Place{}, std::move(message)) {}

  const std::vector<Problem>& problems() const { return problems_; }

 private:
  static std::string join(const std::vector<Problem>& problems) {
    std::string text;
    for (const Problem& p : problems) text += (text.empty() ? "" : "\n") + to_string(p);
    return text;
  }
  std::vector<Problem> problems_;
};

}  // namespace servecast
