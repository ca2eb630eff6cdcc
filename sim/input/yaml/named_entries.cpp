#include "sim/input/yaml/named_entries.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/error.h"
#include "models/base/names.h"
#include "sim/input/yaml/settings_path.h"

namespace servecast {
namespace {

/// Empty where it has none.
std::string name_of(const YAML::Node& entry) {
  if (!entry.IsMap()) return "";
  for (const char* key : {"name", "policy"})
    if (entry[key].IsDefined() && entry[key].IsScalar()) return entry[key].Scalar();
  return "";
}

std::size_t number_of(const YAML::Node& list, const std::string& key, const std::string& name,
                      const std::string& given) {
  std::vector<std::string> names;
  for (const YAML::Node& entry : list) names.push_back(name_of(entry));
  const auto count = std::ranges::count(names, name);
  const auto found = std::ranges::find(names, name);
  if (count == 1) return static_cast<std::size_t>(found - names.begin());
  if (count > 1)
    throw UserError(fmt::format("{}: several entries of '{}' are called '{}'; write {}[{}] for the first", given, key,
                                name, key, found - names.begin()));
  std::erase(names, "");
  throw UserError(given + ": " + unknown_name("entry of " + key, name, names));
}

}  // namespace

std::string with_numbers(const YAML::Node& root, const std::string& path, const std::string& given) {
  std::string numbered;
  YAML::Node node = root;
  bool known = true;  // there is such a setting so far
  const std::vector<PathStep> steps = split_path(path);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    PathStep step = steps[i];
    const YAML::Node below = known && node.IsMap() ? std::as_const(node)[step.key] : YAML::Node();
    known = below.IsDefined() && !below.IsNull();
    if (known) node.reset(below);
    const bool list = known && node.IsSequence();
    if (list && !step.item && i + 1 < steps.size()) step.item = number_of(node, step.key, steps[++i].key, given);
    numbered += (numbered.empty() ? "" : ".") + step.key;
    if (!step.item) continue;
    numbered += fmt::format("[{}]", *step.item);
    known = list && *step.item < node.size();
    if (known) node.reset(std::as_const(node)[*step.item]);
  }
  return numbered;
}

}  // namespace servecast
