#include "sim/input/library/quantization_config.h"

#include <algorithm>
#include <initializer_list>
#include <optional>
#include <vector>

#include "models/base/names.h"

namespace servecast {
namespace {

std::string word(const YAML::Node& map, const char* key) {
  const YAML::Node node = map.IsMap() ? map[key] : YAML::Node();
  return node.IsDefined() && node.IsScalar() ? node.Scalar() : "";
}

/// Names and patterns of what is not quantised.
std::vector<std::string> left_out(const YAML::Node& config) {
  std::vector<std::string> names;
  for (const char* key : {"modules_to_not_convert", "ignore", "exclude_modules"})
    if (config[key].IsDefined() && config[key].IsSequence())
      for (const auto& name : config[key]) names.push_back(name.as<std::string>());
  return names;
}

bool names_one_of(const std::vector<std::string>& list, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(list, [&](const std::string& name) {
    return std::ranges::any_of(parts, [&](const char* part) { return name.find(part) != std::string::npos; });
  });
}

/// Projections of attention that a list may name, where it does not leave out the whole
/// ("model.layers.0.self_attn*").
constexpr std::initializer_list<const char*> attention_inputs{"q_proj", "q_a_proj", "q_b_proj", "kv_b_proj"};
constexpr std::initializer_list<const char*> attention_output{"o_proj"};
bool leaves_out(const std::vector<std::string>& list, std::initializer_list<const char*> projections) {
  return std::ranges::any_of(list, [&](const std::string& name) {
    if (name.find("self_attn") == std::string::npos) return false;
    return name.find("_proj") == std::string::npos || names_one_of({name}, projections);
  });
}

std::optional<DataType> by_bits(const std::string& bits) {
  if (bits == "4") return DataType::int4;
  if (bits == "8") return DataType::int8;
  return std::nullopt;
}

std::optional<DataType> fp8_method(const YAML::Node& config) {
  return config["weight_block_size"].IsDefined() && config["weight_block_size"].IsSequence() ? DataType::fp8_block
                                                                                             : DataType::fp8;
}
std::optional<DataType> mxfp4_method(const YAML::Node&) { return DataType::mxfp4; }
std::optional<DataType> bits_method(const YAML::Node& config) { return by_bits(word(config, "bits")); }
std::optional<DataType> modelopt_method(const YAML::Node& config) {
  const std::string algorithm = word(config, "quant_algo");
  if (algorithm == "FP8") return DataType::fp8;
  if (algorithm == "NVFP4") return DataType::nvfp4;
  if (algorithm == "W4A8_AWQ") return DataType::w4a8;
  return std::nullopt;
}

/// Its first group of layers; published checkpoints have one.
std::optional<DataType> compressed_tensors_method(const YAML::Node& config) {
  const YAML::Node groups = config["config_groups"];
  if (!groups.IsDefined() || !groups.IsMap() || groups.size() == 0) return std::nullopt;
  const YAML::Node group = groups.begin()->second;
  const YAML::Node weights = group["weights"];
  if (!weights.IsDefined() || !weights.IsMap()) return std::nullopt;
  const bool activations = group["input_activations"].IsDefined() && group["input_activations"].IsMap();
  const std::string bits = word(weights, "num_bits");
  if (word(weights, "type") != "float") return activations && bits == "8" ? DataType::w8a8 : by_bits(bits);
  if (bits == "4") return DataType::nvfp4;
  return word(weights, "strategy") == "block" ? DataType::fp8_block : DataType::fp8;
}

struct Method {
  std::string name;
  std::optional<DataType> (*type)(const YAML::Node&);
  bool experts_only = false;
};
const std::vector<Method>& methods() {
  static const std::vector<Method> all{
      {"fp8", fp8_method},           {"mxfp4", mxfp4_method, true},
      {"modelopt", modelopt_method}, {"compressed-tensors", compressed_tensors_method},
      {"awq", bits_method},          {"gptq", bits_method}};
  return all;
}

}  // namespace

WeightTypes read_quantization(const YAML::Node& config, const std::function<void(const std::string&)>& fail) {
  const std::string name = word(config, "quant_method");
  const auto method = std::ranges::find(methods(), name, &Method::name);
  if (method == methods().end()) {
    std::vector<std::string> known;
    for (const Method& one : methods()) known.push_back(one.name);
    fail(": " + unknown_name("quant_method", name, known));
    return {};
  }
  const std::optional<DataType> type = method->type(config);
  if (!type) {
    fail(" of method '" + name + "' says no number format that is modelled");
    return {};
  }
  WeightTypes types(*type);
  const std::vector<std::string> bf16 = left_out(config);
  if (method->experts_only || leaves_out(bf16, attention_inputs)) types.attention = DataType::bf16;
  if (method->experts_only || leaves_out(bf16, attention_output)) types.output = DataType::bf16;
  if (method->experts_only || names_one_of(bf16, {"shared_expert"})) types.mlp = DataType::bf16;
  return types;
}

}  // namespace servecast
