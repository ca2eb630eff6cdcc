#pragma once
#include "kernels/attention/paged_kv.h"
#include "kernels/device/warp.h"

namespace servecast {

/// Rows of a tile in shared memory are 16 bytes apart from what they hold: eight rows at one column lie in different
/// banks.
inline constexpr int row_pad_bytes = 16;

template <class Number, int columns>
inline constexpr int row_bytes = columns* static_cast<int>(sizeof(Number)) + row_pad_bytes;

/// Which rows of a pool a tile takes.
struct KvRows {
  int sequence = 0;
  int kv_head = 0;
  int first = 0;  // token
  int end = 0;    // tokens from here on are no part: zeros
};

/// Copies `tokens` rows of `columns` numbers from the pool into `tile`, asynchronously, each once by the whole block.
template <class Number, int columns, int tokens, int threads>
__device__ void copy_kv_tile(unsigned char* tile, const void* pool, const PagedKv& kv, const KvRows& rows) {
  constexpr int vectors = columns / per_vector<Number>;
  const auto* bytes = static_cast<const unsigned char*>(pool);
  const std::int32_t* table = kv.block_table + static_cast<std::int64_t>(rows.sequence) * kv.blocks_per_sequence;
  for (int i = static_cast<int>(threadIdx.x); i < tokens * vectors; i += threads) {
    const int row = i / vectors;
    const int column = i % vectors * 16;
    const int token = rows.first + row;
    const bool valid = token < rows.end;
    std::int64_t at = 0;
    if (valid) {
      const std::int64_t block = table[token / kv.block_tokens];
      at = ((block * kv.kv_heads + rows.kv_head) * kv.block_tokens + token % kv.block_tokens) * columns;
    }
    copy_async_16(tile + row * row_bytes<Number, columns> + column,
                  bytes + at * static_cast<int>(sizeof(Number)) + (valid ? column : 0), valid);
  }
}

/// Writes a tile of `From` as one of `To`.
template <class From, class To, int columns, int tokens, int threads>
__device__ void convert_tile(const unsigned char* from, unsigned char* to) {
  constexpr int vectors = columns / per_vector<To>;
  for (int i = static_cast<int>(threadIdx.x); i < tokens * vectors; i += threads) {
    const int row = i / vectors;
    const int column = i % vectors * per_vector<To>;
    const auto* source = reinterpret_cast<const From*>(from + row * row_bytes<From, columns>) + column;
    Numbers16<To> vector;
    SERVECAST_UNROLL
    for (int j = 0; j < per_vector<To>; ++j) vector.n[j] = from_float<To>(to_float(source[j]));
    *reinterpret_cast<Numbers16<To>*>(to + row * row_bytes<To, columns> + column * static_cast<int>(sizeof(To))) =
        vector;
  }
}

/// 16 rows of A, columns `column` to `column` + 15, of a row-major tile.
__device__ inline FragmentA load_a(const unsigned char* tile, int bytes_per_row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  FragmentA a;
  load_matrix<4>(a.r, tile + lane % 16 * bytes_per_row + (column + lane / 16 * 8) * 2);
  return a;
}
/// B of 16 x 8 whose columns are rows of the tile (keys): rows 0 to 7 from `tile` on, k from `column` on.
__device__ inline FragmentB load_b_of_rows(const unsigned char* tile, int bytes_per_row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  FragmentB b;
  load_matrix<2>(b.r, tile + lane % 8 * bytes_per_row + (column + lane / 8 % 2 * 8) * 2);
  return b;
}
/// B of 16 x 8 whose rows are rows of the tile (values): columns `column` to `column` + 7.
__device__ inline FragmentB load_b_of_columns(const unsigned char* tile, int bytes_per_row, int column) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  FragmentB b;
  load_matrix_transposed<2>(b.r, tile + lane % 16 * bytes_per_row + column * 2);
  return b;
}

}  // namespace servecast
