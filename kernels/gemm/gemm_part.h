#pragma once
/// Which part of a product a block makes, and how it is written. For .cu files.
#include "kernels/device/warp.h"
#include "kernels/gemm/gemm.h"

namespace servecast::gemms {

struct TileSizes {
  int rows = 0;
  int columns = 0;
  int k = 0;
};

struct TilePlace {
  int row = 0;
  int column = 0;
};
/// Blocks that run at the same time take tiles of 8 rows of tiles, column by column: they find each other's operands
/// in the L2, which blocks along one row would fill with all of the weights.
__device__ inline TilePlace tile_of_block() {
  constexpr int together = 8;
  const int columns = static_cast<int>(gridDim.x);
  const int index = static_cast<int>(blockIdx.y) * columns + static_cast<int>(blockIdx.x);
  const int first_row = index / (together * columns) * together;
  const int rows_left = static_cast<int>(gridDim.y) - first_row;
  const int rows = rows_left < together ? rows_left : together;
  const int rest = index - first_row * columns;
  return {.row = first_row + rest % rows, .column = rest / rows};
}

/// A tile of the rows and columns of one expert, or of one split of k.
template <class Kind>
struct ProductPart {
  const Gemm& g;
  int first_row = 0;
  int end_row = 0;
  int first_column = 0;
  int first_tile = 0;  // of k
  int end_tile = 0;
  int expert = 0;
  int split = 0;

  __device__ ProductPart(const Gemm& product, const TileSizes& sizes) : g(product), end_row(g.m) {
    const TilePlace tile = tile_of_block();
    first_row = tile.row * sizes.rows;
    first_column = tile.column * sizes.columns;
    if (g.expert_rows != nullptr) {
      expert = static_cast<int>(blockIdx.z);
      first_row += g.expert_rows[expert];
      end_row = g.expert_rows[expert + 1];
    } else {
      split = static_cast<int>(blockIdx.z);
    }
    const int tiles = (g.k + sizes.k - 1) / sizes.k;
    const int each = (tiles + g.splits - 1) / g.splits;
    first_tile = split * each;
    end_tile = first_tile + each < tiles ? first_tile + each : tiles;
  }

  __device__ float scale(int row, int column) const {
    float factor = 1;
    if constexpr (Kind::scaled_columns)
      factor = static_cast<const float*>(g.column_scales)[static_cast<std::int64_t>(expert) * g.n + column];
    if constexpr (Kind::scaled_rows) factor *= g.row_scales[row];
    return factor;
  }

  /// Two neighbouring columns.
  __device__ void write_pair(int row, int column, typename Kind::Sum low, typename Kind::Sum high) const {
    const float first = static_cast<float>(low) * scale(row, column);
    const float second = static_cast<float>(high) * scale(row, column + 1);
    const std::int64_t at = static_cast<std::int64_t>(row) * g.n + column;
    if (g.splits == 1) {
      static_cast<std::uint32_t*>(g.out)[at / 2] = packed<typename Kind::Number>(first, second);
    } else {
      float* partial = g.partial + static_cast<std::int64_t>(split) * g.m * g.n + at;
      partial[0] = first;
      partial[1] = second;
    }
  }

  /// What a lane has of 16 rows and 8 columns: two columns from `column` on, of `row` and the row 8 further.
  __device__ void write(int row, int column, const FragmentC<typename Kind::Sum>& sums) const {
    if (column >= g.n) return;
    if (row < end_row) write_pair(row, column, sums.r[0], sums.r[1]);
    if (row + 8 < end_row) write_pair(row + 8, column, sums.r[2], sums.r[3]);
  }
};

}  // namespace servecast::gemms
