#pragma once
#include <cstdint>

#include "models/base/counts.h"
#include "models/hw/llm/data_type.h"

namespace servecast {

/// Multiples that vLLM rounds an expert's sides up to where its weights have 4 bits and its inputs 16
/// (model_executor/layers/quantization/mxfp4.py). `int4` is Marlin, `mxfp4` is Triton's kernel. gpt-oss-120b's hidden
/// size of 2,880 becomes 3,072, its width 2,944 with Marlin: one GPU's weights are 65.97 GiB then and 64.38 GiB with
/// Triton (logs in vLLM's issues 23278 and 33155), where 60.8 GiB are published.
struct ExpertTile {
  std::int64_t hidden = 1;
  std::int64_t width = 1;  // of each slice
};
constexpr ExpertTile expert_tile(DataType weights) {
  if (weights == DataType::int4) return {.hidden = 256, .width = 128};
  if (weights == DataType::mxfp4) return {.hidden = 256};
  return {};
}

constexpr std::int64_t in_whole_tiles(std::int64_t side, std::int64_t tile) { return divided_up(side, tile) * tile; }

}  // namespace servecast
