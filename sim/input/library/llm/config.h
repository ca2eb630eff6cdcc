#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/llm/llm.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// Reads single keys of a config.json, or of a map in it, and collects what is wrong.
class LlmConfig {
 public:
  explicit LlmConfig(YamlText& text) : LlmConfig(text, text.root, "") {}

  /// The map under this key, which must be there.
  LlmConfig inside(const std::string& key);

  /// A count that must be there.
  std::int64_t count(const std::string& key) { return whole(key, std::nullopt, 1); }
  /// A count, or HuggingFace's default where the key is missing or null.
  std::int64_t count(const std::string& key, std::int64_t missing) { return whole(key, missing, 0); }
  bool flag(const std::string& key, bool missing);
  std::string text(const std::string& key);
  std::string text(const std::string& key, const std::string& missing);
  /// Empty where the key is missing or null.
  std::vector<std::string> words(const std::string& key);
  /// How many entries a list has; 0 where the key is missing or null.
  std::int64_t length(const std::string& key);
  /// Its entries, whole numbers from 0 to below `end`; empty where the key is missing or null.
  std::vector<std::int64_t> numbers(const std::string& key, std::int64_t end);
  /// As the quantisation config at `key` says, that of HuggingFace or one written like it; `left_out` without one.
  WeightTypes weights(const std::string& key, const WeightTypes& left_out);
  /// Of "derivation"; none where it is missing.
  std::optional<Derivation> derivation();

  /// True also for a key that is null.
  bool names(const std::string& key) const { return root_[key].IsDefined(); }
  void fail(const std::string& key, const std::string& message);

 private:
  LlmConfig(YamlText& text, const YAML::Node& root, std::string path);
  std::int64_t whole(const std::string& key, std::optional<std::int64_t> missing, std::int64_t least);

  YamlText& text_;
  const YAML::Node root_;  // const: looking a key up does not create it
  std::string path_;       // "text_config.", or empty
};

}  // namespace servecast
