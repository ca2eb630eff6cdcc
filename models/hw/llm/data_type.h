#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

/// How numbers are stored: the weights of linear layers, or keys and values.
enum class DataType : std::uint8_t { bf16, fp16, fp8, fp8_block, int8, w8a8, int4, w4a8, mxfp4, w4a8_mxfp4, nvfp4 };

struct DataTypeFacts {
  DataType type;
  std::string_view name;
  double bytes;             // of one stored weight, its share of the scales included
  double activation_bytes;  // of one input of the matrix product
  DataType math;            // the tensor-core rate it computes at: weight-only types widen to bf16 first
};

/// int8 and int4 are weight-only (W8A16, W4A16 as GPTQ and AWQ store it); w8a8, fp8 and nvfp4 also quantise the
/// activations, w4a8 (int4 weights, TensorRT-LLM's W4A8) to fp8. fp8 has a scale per tensor or channel, fp8_block one
/// per 128 x 128 weights and per 128 activations (DeepSeek-V3's report, section 3.3): other kernels, other times.
/// mxfp4 (OCP Microscaling 1.0): 4 bits and an 8-bit scale for 32 weights, with 16-bit activations (mxfp4) or 8-bit
/// ones (w4a8_mxfp4), which Blackwell computes at its fp8 rate. nvfp4: 4 bits and an fp8 scale for 16.
/// int4: 4 bits, and a 16-bit scale with a 4-bit zero point for every 128 weights: (4 + 20/128) / 8 bytes. The scales
/// of the 8-bit types are below 0.1 %, left out.
inline constexpr std::array<DataTypeFacts, 11> data_types{{
    {DataType::bf16, "bf16", 2, 2, DataType::bf16},
    {DataType::fp16, "fp16", 2, 2, DataType::bf16},
    {DataType::fp8, "fp8", 1, 1, DataType::fp8},
    {DataType::fp8_block, "fp8_block", 1, 1, DataType::fp8},
    {DataType::int8, "int8", 1, 2, DataType::bf16},
    {DataType::w8a8, "w8a8", 1, 1, DataType::int8},
    {DataType::int4, "int4", 0.51953125, 2, DataType::bf16},
    {DataType::w4a8, "w4a8", 0.51953125, 1, DataType::fp8},
    {DataType::mxfp4, "mxfp4", 0.53125, 2, DataType::bf16},
    {DataType::w4a8_mxfp4, "w4a8_mxfp4", 0.53125, 1, DataType::fp8},
    {DataType::nvfp4, "nvfp4", 0.5625, 0.5625, DataType::nvfp4},
}};

inline constexpr double bf16_bytes = 2;

constexpr const DataTypeFacts& facts(DataType type) {
  for (const DataTypeFacts& known : data_types)
    if (known.type == type) return known;
  assert(false);
  return data_types.front();
}

/// Nothing for a name that is not in the table. "auto" means bf16: what engines take for KV.
constexpr std::optional<DataType> data_type(std::string_view name) {
  if (name == "auto") return DataType::bf16;
  for (const DataTypeFacts& known : data_types)
    if (known.name == name) return known.type;
  return std::nullopt;
}

inline std::vector<std::string> data_type_names() {
  std::vector<std::string> names{"auto"};
  for (const DataTypeFacts& known : data_types) names.emplace_back(known.name);
  return names;
}

}  // namespace servecast
