#pragma once
#include <cstdint>
#include <span>

#include "calibrate/fit/cells.h"

namespace servecast {

/// 256 where products work through their rows in tiles of 256, else 0. Seen from one row more than whole tiles: where
/// it costs nearer to a full further tile than to none (median over all cells whose neighbours were measured, too),
/// rows come in tiles. vLLM's fp8 products do (a median of 1.7 to 2 further tiles), its bf16 and TensorRT-LLM's fp8
/// products do not (0.1), since cuBLAS has smaller tiles for the rest.
std::int64_t tile_rows(std::span<const Cell> products);

}  // namespace servecast
