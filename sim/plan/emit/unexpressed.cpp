#include "sim/plan/emit/unexpressed.h"

#include <algorithm>

namespace servecast {
namespace {

using nlohmann::ordered_json;

/// "/kv_tiers/levels/0/kind" -> "kv_tiers.levels[0].kind"
std::string as_path(const std::string& pointer) {
  std::string path;
  for (std::size_t at = 1; at <= pointer.size();) {
    const std::size_t end = std::min(pointer.find('/', at), pointer.size());
    const std::string word = pointer.substr(at, end - at);
    const bool index = std::ranges::all_of(word, [](char c) { return c >= '0' && c <= '9'; });
    path += index ? "[" + word + "]" : (path.empty() ? "" : ".") + word;
    at = end + 1;
  }
  return path;
}

bool nothing(const ordered_json& value) { return value.is_null() || (value.is_structured() && value.empty()); }

}  // namespace

void Unexpressed::take_all(const std::string& above) {
  for (const auto& [path, value] : settings_.items())
    if (path == above || path.starts_with(above + "/")) taken_.insert(path);
}

std::vector<std::string> Unexpressed::left() const {
  std::vector<std::string> all;
  for (const auto& [path, value] : settings_.items()) {
    if (taken_.contains(path) || nothing(value) || defaults_.value(path, ordered_json()) == value) continue;
    all.push_back(as_path(path) + ": " + (value.is_string() ? value.get<std::string>() : value.dump()));
  }
  return all;
}

}  // namespace servecast
