#pragma once
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace servecast {

/// Settings on their way into another program's words. Code that has expressed a setting takes it; what was not taken
/// and is not as it is by default is left over, so that nothing is dropped without a word.
class Unexpressed {
 public:
  Unexpressed(const nlohmann::ordered_json& settings, const nlohmann::ordered_json& defaults)
      : settings_(settings.flatten()), defaults_(defaults.flatten()) {}

  /// The value at "/batcher/policy"; null where there is none.
  nlohmann::ordered_json peek(const std::string& path) const {
    return settings_.value(path, nlohmann::ordered_json());
  }
  nlohmann::ordered_json take(const std::string& path) {
    taken_.insert(path);
    return peek(path);
  }
  bool is(const std::string& path, const std::string& text) const { return peek(path) == text; }
  /// Takes it where it has this value.
  bool take_if(const std::string& path, const std::string& text) {
    if (is(path, text)) taken_.insert(path);
    return is(path, text);
  }
  /// Takes all that lies below.
  void take_all(const std::string& above);

  /// "batcher.policy: orca", in the order of the settings.
  std::vector<std::string> left() const;

 private:
  nlohmann::ordered_json settings_;
  nlohmann::ordered_json defaults_;
  std::set<std::string> taken_{};
};

}  // namespace servecast
