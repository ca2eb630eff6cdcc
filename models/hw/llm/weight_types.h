#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "models/hw/llm/data_type.h"

namespace servecast {

/// How a model's linear layers are stored. Published checkpoints quantise some of them only: gpt-oss its experts,
/// NVIDIA's NVFP4 ones all but attention, DeepSeek all. Embeddings, LM head, norms, biases and the expert router are
/// bf16 in every one.
struct WeightTypes {
  DataType attention = DataType::bf16;
  DataType mlp = DataType::bf16;  // dense MLPs, and experts that every token passes
  DataType experts = DataType::bf16;

  WeightTypes() = default;
  WeightTypes(DataType all) : attention(all), mlp(all), experts(all) {}  // one type for all is the usual case
  WeightTypes(DataType in_attention, DataType in_mlp, DataType in_experts)
      : attention(in_attention), mlp(in_mlp), experts(in_experts) {}

  std::array<DataType, 3> all() const { return {attention, mlp, experts}; }
  bool operator==(const WeightTypes&) const = default;
  auto operator<=>(const WeightTypes&) const = default;
};

/// "fp8_block"; "bf16, experts mxfp4"; "bf16, MLPs and experts nvfp4".
inline std::string weights_name(const WeightTypes& types) {
  const std::string attention(facts(types.attention).name);
  const std::string experts(facts(types.experts).name);
  if (types.mlp == types.attention)
    return types.experts == types.mlp ? attention : attention + ", experts " + experts;
  if (types.experts == types.mlp) return attention + ", MLPs and experts " + experts;
  return attention + ", MLPs " + std::string(facts(types.mlp).name) + ", experts " + experts;
}

/// What a pool says of its weights. "auto" in `all`: as the model is published; in the others: as `all` says.
struct WeightSettings {
  std::string_view all = "auto";
  std::string_view attention = "auto";
  std::string_view experts = "auto";
};

/// Types that engines have for experts alone: where all weights are said to be of one, the rest is bf16.
constexpr bool of_experts_alone(DataType type) {
  return type == DataType::mxfp4 || type == DataType::w4a8_mxfp4 || type == DataType::w4a8;
}

inline WeightTypes weight_types(const WeightSettings& settings, const WeightTypes& published) {
  WeightTypes types = settings.all == "auto" ? published : WeightTypes(data_type(settings.all).value());
  if (of_experts_alone(types.attention)) types.attention = DataType::bf16;
  if (of_experts_alone(types.mlp)) types.mlp = DataType::bf16;
  if (settings.attention != "auto") types.attention = data_type(settings.attention).value();
  if (settings.experts != "auto") types.experts = data_type(settings.experts).value();
  return types;
}

}  // namespace servecast
