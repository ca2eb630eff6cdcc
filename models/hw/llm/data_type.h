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
enum class DataType : std::uint8_t { bf16, fp16, fp8, int8, w8a8, int4 };

struct DataTypeFacts {
  DataType type;
  std::string_view name;
  double bytes;             // of one stored weight, its share of the scales included
  double activation_bytes;  // of one input of the matrix product
  DataType math;            // the tensor-core rate it computes at: weight-only types widen to bf16 first
};

/// int8 and int4 are weight-only (W8A16, W4A16 as GPTQ and AWQ store it); w8a8 and fp8 also quantise the activations.
/// int4: 4 bits, and a 16-bit scale with a 4-bit zero point for every 128 weights: (4 + 20/128) / 8 bytes. The scales
/// of the 8-bit types are per channel or per 128 x 128 block: below 0.1 %, left out.
inline constexpr std::array<DataTypeFacts, 6> data_types{{
    {DataType::bf16, "bf16", 2, 2, DataType::bf16},
    {DataType::fp16, "fp16", 2, 2, DataType::bf16},
    {DataType::fp8, "fp8", 1, 1, DataType::fp8},
    {DataType::int8, "int8", 1, 2, DataType::bf16},
    {DataType::w8a8, "w8a8", 1, 1, DataType::int8},
    {DataType::int4, "int4", 0.51953125, 2, DataType::bf16},
}};

inline constexpr double bf16_bytes = 2;

constexpr const DataTypeFacts& facts(DataType type) {
  for (const DataTypeFacts& known : data_types)
    if (known.type == type) return known;
  assert(false);
  return data_types.front();
}

/// Nothing for a name that is not in the table. "auto" means bf16: what models are published in.
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
