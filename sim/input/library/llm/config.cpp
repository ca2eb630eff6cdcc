#include "sim/input/library/llm/config.h"

#include <set>
#include <utility>

#include "sim/input/library/quantization_config.h"

namespace servecast {
namespace {

bool given(const YAML::Node& node) { return node.IsDefined() && !node.IsNull(); }

}  // namespace

LlmConfig::LlmConfig(YamlText& text, const YAML::Node& root, std::string path)
    : text_(text), root_(root), path_(std::move(path)) {
  std::set<std::string> seen;
  for (const auto& entry : root_)
    if (const std::string& key = entry.first.Scalar(); !seen.insert(key).second)
      fail(key, "'" + path_ + key + "' is given twice");
}

LlmConfig LlmConfig::inside(const std::string& key) {
  const YAML::Node node = root_[key];
  if (given(node) && node.IsMap()) return {text_, node, path_ + key + "."};
  fail(key, "'" + path_ + key + "' is missing: this model_type needs it, a map");
  return {text_, YAML::Node(YAML::NodeType::Map), path_ + key + "."};
}

bool LlmConfig::flag(const std::string& key, bool missing) {
  const YAML::Node node = root_[key];
  bool value = missing;
  if (given(node) && !YAML::convert<bool>::decode(node, value))
    fail(key, "'" + path_ + key + "' must be true or false");
  return value;
}

std::string LlmConfig::text(const std::string& key) {
  const YAML::Node node = root_[key];
  if (given(node) && node.IsScalar()) return node.Scalar();
  fail(key, "'" + path_ + key + "' is missing: give the text that HuggingFace writes there");
  return "";
}

std::string LlmConfig::text(const std::string& key, const std::string& missing) {
  return given(root_[key]) ? text(key) : missing;
}

std::vector<std::string> LlmConfig::words(const std::string& key) {
  std::vector<std::string> words;
  const YAML::Node node = root_[key];
  if (!given(node)) return words;
  if (!node.IsSequence()) fail(key, "'" + path_ + key + "' must be a list of words");
  for (const YAML::Node& word : node) words.push_back(word.IsScalar() ? word.Scalar() : "");
  return words;
}

std::int64_t LlmConfig::length(const std::string& key) {
  const YAML::Node node = root_[key];
  if (!given(node)) return 0;
  if (!node.IsSequence()) fail(key, "'" + path_ + key + "' must be a list");
  return static_cast<std::int64_t>(node.size());
}

std::vector<std::int64_t> LlmConfig::numbers(const std::string& key, std::int64_t end) {
  std::vector<std::int64_t> numbers;
  const YAML::Node node = root_[key];
  if (!given(node)) return numbers;
  const auto number = [end](const YAML::Node& entry, std::int64_t& value) {
    return YAML::convert<std::int64_t>::decode(entry, value) && value >= 0 && value < end;
  };
  bool all = node.IsSequence();
  for (const YAML::Node& entry : node) all = number(entry, numbers.emplace_back()) && all;
  if (!all) fail(key, "'" + path_ + key + "' must be a list of whole numbers from 0 to " + std::to_string(end - 1));
  return numbers;
}

WeightTypes LlmConfig::weights(const std::string& key, const WeightTypes& left_out) {
  const YAML::Node node = root_[key];
  if (!given(node)) return left_out;
  const auto failed = [&](const std::string& message) { fail(key, "'" + key + "'" + message); };
  if (node.IsMap()) return read_quantization(node, failed);
  failed(" must be a map");
  return {};
}

std::optional<Derivation> LlmConfig::derivation() {
  const char* key = "derivation";
  const YAML::Node node = root_[key];
  if (!given(node)) return std::nullopt;
  Derivation d;
  const auto read = [&](const char* part, auto& value) {
    if (node.IsMap() && given(node[part]) && YAML::convert<std::decay_t<decltype(value)>>::decode(node[part], value))
      return;
    fail(key, std::string("'derivation' must be a map with from, how, lost_points and source; '") + part +
                  "' is missing or of another type");
  };
  read("from", d.from);
  read("how", d.how);
  read("lost_points", d.lost_points);
  read("source", d.source);
  return d;
}

void LlmConfig::fail(const std::string& key, const std::string& message) {
  const YAML::Node node = root_[key];
  Place place{.file = text_.file, .line = 1, .column = 1};
  if (node.IsDefined()) {
    place.line = node.Mark().line + 1;
    place.column = node.Mark().column + 1;
  }
  text_.problems.push_back({place, path_ + key, message});
}

std::int64_t LlmConfig::whole(const std::string& key, std::optional<std::int64_t> missing, std::int64_t least) {
  constexpr std::int64_t most = 1'000'000'000;  // far above any real size; keeps products inside 64 bits
  const YAML::Node node = root_[key];
  std::int64_t value = 0;
  if (!given(node)) {
    if (!missing)
      fail(key, "'" + path_ + key + "' is missing: this model_type needs it, a whole number of at least 1");
    return missing.value_or(1);
  }
  if (YAML::convert<std::int64_t>::decode(node, value) && value >= least && value <= most) return value;
  fail(key, "'" + path_ + key + "' must be a whole number of at least " + std::to_string(least) + " and at most " +
                std::to_string(most));
  return 1;
}

}  // namespace servecast
