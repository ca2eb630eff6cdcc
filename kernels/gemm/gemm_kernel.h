#pragma once
/// Text of the products. For .cu files.
#include "kernels/gemm/gemm.h"
#include "kernels/gemm/gemm_group.h"
#include "kernels/gemm/gemm_kinds.h"
#include "kernels/gemm/gemm_part.h"

namespace servecast::gemms {

inline constexpr int tile_k = 64;
inline constexpr int tile_n = 128;
inline constexpr int column_warps = 4;  // each has 32 columns
inline constexpr int warp_columns = tile_n / column_warps;

/// Rows of tiles lie 96 numbers apart, of which 64 are used: the lanes that load at once then meet different banks.
template <int bits>
inline constexpr int row_of = 96 * bits / 8;

template <class Kind, int row_warps, int row_tiles>
struct Layout {
  static constexpr int tile_m = row_warps * row_tiles * 16;
  static constexpr int a_row = row_of<sizeof(typename Kind::A) * 8>;
  static constexpr int w_row = row_of<Kind::weight_bits>;
  static constexpr int weights_at = tile_m * a_row;
  static constexpr int stage = weights_at + tile_n * w_row;
  static constexpr int most_bytes = 163 * 1024;  // that a block of sm_80 may have
  static constexpr int stages = 4 * stage <= most_bytes ? 4 : 3;
  static constexpr int bytes = stages * stage;
  static constexpr int threads = row_warps * column_warps * warp_lanes;
};

/// One block: tile_m rows and 128 columns.
template <class Kind, int row_warps, int row_tiles>
struct Product {
  using L = Layout<Kind, row_warps, row_tiles>;
  using A = typename Kind::A;
  using Sum = typename Kind::Sum;
  static constexpr int column_tiles = warp_columns / 8;

  const Gemm& g;
  unsigned char* shared = dynamic_shared();
  int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int row_warp = static_cast<int>(threadIdx.x) / warp_lanes / column_warps;
  int column_warp = static_cast<int>(threadIdx.x) / warp_lanes % column_warps;
  ProductPart<Kind> part{g, {.rows = L::tile_m, .columns = tile_n, .k = tile_k}};
  FragmentC<Sum> sums[row_tiles][column_tiles] = {};

  /// `rows` rows of a tile, each of `bytes` bytes.
  template <int rows, int bits>
  __device__ void copy_rows(unsigned char* tile, const void* from, std::int64_t first, std::int64_t end, int k_tile) {
    constexpr int vectors = tile_k * bits / 8 / 16;
    const auto* source = static_cast<const unsigned char*>(from);
    const std::int64_t row_bytes_there = static_cast<std::int64_t>(g.k) * bits / 8;
    for (int i = static_cast<int>(threadIdx.x); i < rows * vectors; i += L::threads) {
      const int row = i / vectors;
      const int column = i % vectors * 16;
      const bool valid = first + row < end;
      const std::int64_t at = (first + row) * row_bytes_there + k_tile * (tile_k * bits / 8) + column;
      copy_async_16(tile + row * row_of<bits> + column, source + (valid ? at : 0), valid);
    }
  }

  __device__ void copy_tile(int k_tile) {
    unsigned char* stage = shared + (k_tile - part.first_tile) % L::stages * L::stage;
    if (k_tile < part.end_tile) {
      const std::int64_t first = static_cast<std::int64_t>(part.expert) * g.n;
      copy_rows<L::tile_m, sizeof(A) * 8>(stage, g.a, part.first_row, part.end_row, k_tile);
      copy_rows<tile_n, Kind::weight_bits>(stage + L::weights_at, g.weights, first + part.first_column, first + g.n,
                                           k_tile);
    }
    copy_async_commit();
  }

  /// The scale of the group of k, twice in one register.
  __device__ std::uint32_t group_scale(int n, int k_tile) const {
    if constexpr (Kind::weight_bits != 4) return 0;
    const int column = part.first_column + column_warp * warp_columns + n * 8 + lane / 4;
    if (column >= g.n) return 0;
    const std::int64_t row = static_cast<std::int64_t>(part.expert) * g.n + column;
    const auto* scales = static_cast<const std::uint16_t*>(g.column_scales);
    return scales[row * (g.k / group_k) + k_tile * tile_k / group_k] * 0x10001U;
  }

  __device__ void take_tile(int k_tile) {
    const unsigned char* stage = shared + (k_tile - part.first_tile) % L::stages * L::stage;
    const unsigned char* a = stage + (row_warp * row_tiles * 16 + lane / 4) * L::a_row;
    const unsigned char* w = stage + L::weights_at + (column_warp * warp_columns + lane / 4) * L::w_row;
    std::uint32_t scales[column_tiles];
    SERVECAST_UNROLL
    for (int n = 0; n < column_tiles; ++n) scales[n] = group_scale(n, k_tile);
    SERVECAST_UNROLL
    for (int k = 0; k < tile_k; k += window) {
      const int own = k + lane % 4 * 8;
      Part<A> columns[column_tiles];
      SERVECAST_UNROLL
      for (int n = 0; n < column_tiles; ++n)
        columns[n] = Kind::weights(w + n * 8 * L::w_row + own * Kind::weight_bits / 8, scales[n]);
      SERVECAST_UNROLL
      for (int m = 0; m < row_tiles; ++m) {
        const unsigned char* row = a + m * 16 * L::a_row + own * static_cast<int>(sizeof(A));
        const Part<A> top = part_at<A>(row);
        const Part<A> bottom = part_at<A>(row + 8 * L::a_row);
        SERVECAST_UNROLL
        for (int n = 0; n < column_tiles; ++n) add_window<A>(sums[m][n], top, bottom, columns[n]);
      }
    }
  }

  __device__ void write() {
    SERVECAST_UNROLL
    for (int m = 0; m < row_tiles; ++m) {
      SERVECAST_UNROLL
      for (int n = 0; n < column_tiles; ++n) {
        const int row = part.first_row + (row_warp * row_tiles + m) * 16 + lane / 4;
        part.write(row, part.first_column + column_warp * warp_columns + n * 8 + lane % 4 * 2, sums[m][n]);
      }
    }
  }

  __device__ void run() {
    if (part.first_row >= part.end_row) return;  // the whole block
    SERVECAST_UNROLL
    for (int i = 0; i < L::stages - 1; ++i) copy_tile(part.first_tile + i);
    for (int k_tile = part.first_tile; k_tile < part.end_tile; ++k_tile) {
      copy_async_wait<L::stages - 2>();
      block_barrier();  // this tile is there, and no thread reads the one before any more
      copy_tile(k_tile + L::stages - 1);
      take_tile(k_tile);
    }
    copy_async_wait<0>();
    write();
  }
};

template <class Kind, int row_warps, int row_tiles>
__global__ void __launch_bounds__(row_warps* column_warps* warp_lanes) product_kernel(Gemm g) {
  Product<Kind, row_warps, row_tiles>{g}.run();
}

inline constexpr int reduce_threads = 256;

template <class Number>
__global__ void __launch_bounds__(reduce_threads) reduce_kernel(Gemm g) {
  const std::int64_t size = static_cast<std::int64_t>(g.m) * g.n;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * reduce_threads + threadIdx.x;
  if (i >= size) return;
  float sum = 0;
  for (int split = 0; split < g.splits; ++split) sum += g.partial[split * size + i];
  static_cast<Number*>(g.out)[i] = from_float<Number>(sum);
}

template <class Kind, int row_warps, int row_tiles>
void start_tiles(const Gemm& g, Stream stream) {
  using L = Layout<Kind, row_warps, row_tiles>;
  launch(product_kernel<Kind, row_warps, row_tiles>,
         {.grid_x = static_cast<unsigned>((g.n + tile_n - 1) / tile_n),
          .grid_y = static_cast<unsigned>((g.m + L::tile_m - 1) / L::tile_m),
          .grid_z = static_cast<unsigned>(g.expert_rows != nullptr ? g.experts : g.splits),
          .threads = L::threads,
          .shared_bytes = L::bytes},
         stream, g);
}

/// Many rows, of operands that the matrix instructions of warp groups take as they lie in memory.
template <class Kind>
bool start_many_on_hopper(const Gemm& g, Stream stream) {
  if constexpr (Kind::weight_bits == sizeof(typename Kind::A) * 8)
    return has_group_products() && start_group<Kind>(g, stream);
  else
    return false;
}

/// Up to `few_rows` rows (of an expert, with even routing) go 16 at a time, so that little is wasted on rows that are
/// not there; more go 128 at a time, so that weights are read less often.
template <class Kind>
bool start(const Gemm& g, Stream stream) {
  constexpr int few_rows = 32;
  if (g.m <= few_rows * g.experts)
    start_tiles<Kind, 1, 1>(g, stream);
  else if (!start_many_on_hopper<Kind>(g, stream))
    start_tiles<Kind, 2, 4>(g, stream);
  const auto numbers =
      static_cast<unsigned>((static_cast<std::int64_t>(g.m) * g.n + reduce_threads - 1) / reduce_threads);
  if (g.splits > 1)
    launch(reduce_kernel<typename Kind::Number>, {.grid_x = numbers, .threads = reduce_threads}, stream, g);
  return true;
}

/// One kind a file: nvcc takes its time.
template <GemmKind kind>
bool start_kind(const Gemm& g, bool bf16, Stream stream);
template <>
bool start_kind<GemmKind::plain>(const Gemm& g, bool bf16, Stream stream);
template <>
bool start_kind<GemmKind::w8a16>(const Gemm& g, bool bf16, Stream stream);
template <>
bool start_kind<GemmKind::w4a16>(const Gemm& g, bool bf16, Stream stream);
template <>
bool start_kind<GemmKind::w8a8>(const Gemm& g, bool bf16, Stream stream);
template <>
bool start_kind<GemmKind::fp8>(const Gemm& g, bool bf16, Stream stream);

}  // namespace servecast::gemms
