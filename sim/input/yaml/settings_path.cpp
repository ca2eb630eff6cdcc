#include "sim/input/yaml/settings_path.h"

#include <algorithm>

#include "models/base/error.h"

namespace servecast {
namespace {

constexpr std::size_t max_digits = 6;  // no list is longer than a million entries

[[noreturn]] void reject(const std::string& path) {
  throw UserError("'" + path + "' is no path; write it like pools[0].router.policy");
}

/// "pools[0]" -> {pools, 0}
PathStep read_step(const std::string& path, const std::string& word) {
  const std::size_t open = word.find('[');
  PathStep step{.key = word.substr(0, open)};
  if (open != std::string::npos) {
    const std::string digits = word.substr(open + 1, word.size() - open - 2);
    const bool numeric = digits.find_first_not_of("0123456789") == std::string::npos;
    if (!word.ends_with(']') || digits.empty() || digits.size() > max_digits || !numeric) reject(path);
    step.item = std::stoul(digits);
  }
  if (step.key.empty()) reject(path);
  return step;
}

}  // namespace

std::vector<PathStep> split_path(const std::string& path) {
  std::vector<PathStep> steps;
  for (std::size_t at = 0; at <= path.size();) {
    const std::size_t dot = std::min(path.find('.', at), path.size());
    steps.push_back(read_step(path, path.substr(at, dot - at)));
    at = dot + 1;
  }
  return steps;
}

}  // namespace servecast
