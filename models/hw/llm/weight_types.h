#pragma once
#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "models/hw/llm/data_type.h"

namespace servecast {

/// How a model's linear layers are stored. Published checkpoints quantise some of them only: gpt-oss its experts,
/// NVIDIA's NVFP4 ones all but attention, or of DeepSeek's attention the output alone, DeepSeek's own all.
/// Embeddings, LM head, norms, biases and the expert router are bf16 in every one.
struct WeightTypes {
  DataType attention = DataType::bf16;
  DataType output = DataType::bf16;  // attention's last projection
  DataType mlp = DataType::bf16;     // dense MLPs, and experts that every token passes
  DataType experts = DataType::bf16;

  WeightTypes() = default;
  WeightTypes(DataType all) : WeightTypes(all, all, all) {}  // one type for all is the usual case
  WeightTypes(DataType in_attention, DataType in_mlp, DataType in_experts)
      : attention(in_attention), output(in_attention), mlp(in_mlp), experts(in_experts) {}

  std::array<DataType, 4> all() const { return {attention, output, mlp, experts}; }
  bool operator==(const WeightTypes&) const = default;
  auto operator<=>(const WeightTypes&) const = default;
};

/// "fp8_block"; "bf16, experts mxfp4"; "bf16, MLPs and experts nvfp4"; "bf16, output, MLPs and experts nvfp4".
std::string weights_name(const WeightTypes& types);

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

/// As a model is published, and as its checkpoint in NVFP4 is: NVIDIA's, where there is one.
struct Checkpoints {
  WeightTypes own{};
  WeightTypes nvfp4{DataType::nvfp4};

  bool operator==(const Checkpoints&) const = default;
};

WeightTypes weight_types(const WeightSettings& settings, const Checkpoints& of);

}  // namespace servecast
