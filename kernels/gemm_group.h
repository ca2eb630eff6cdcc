#pragma once
/// Text of the products with matrix instructions of warp groups (Hopper). For .cu files.
#include "kernels/gemm_part.h"
#include "kernels/swizzled.h"

namespace servecast::gemms {

inline constexpr int group_tile_m = 128;
inline constexpr int group_threads = 256;

/// A stage is one panel of rows and one of weights: 128 bytes of k each.
template <int columns>
struct GroupLayout {
  static constexpr int weights_at = group_tile_m * panel_row_bytes;
  static constexpr int stage = weights_at + columns * panel_row_bytes;
  static constexpr int stages = 4;
  static constexpr int bytes = stages * stage;
};

/// One block: 128 rows for two groups, `columns` columns.
template <class Kind, int columns>
struct GroupProduct {
  using L = GroupLayout<columns>;
  using A = typename Kind::A;
  static constexpr int tile_k = panel_row_bytes / static_cast<int>(sizeof(A));

  const Gemm& g;
  unsigned char* shared = dynamic_shared();
  ProductPart<Kind> part{g, {.rows = group_tile_m, .columns = columns, .k = tile_k}};
  FragmentC<typename Kind::Sum> sums[columns / 8] = {};

  /// `rows` rows of 128 bytes of k; zeros beyond the matrix.
  template <int rows>
  __device__ void copy_rows(unsigned char* panel, const void* from, std::int64_t first, std::int64_t end,
                            int k_tile) {
    const auto* source = static_cast<const unsigned char*>(from);
    const std::int64_t row_bytes = static_cast<std::int64_t>(g.k) * static_cast<int>(sizeof(A));
    SERVECAST_UNROLL
    for (int i = 0; i < rows * 8 / group_threads; ++i) {
      const int piece = i * group_threads + static_cast<int>(threadIdx.x);
      const int row = piece / 8;
      const int column = piece % 8 * 16;
      const std::int64_t byte = static_cast<std::int64_t>(k_tile) * panel_row_bytes + column;
      const bool valid = first + row < end && byte < row_bytes;
      copy_async_16(panel + SwizzledRows<rows>::at(row, column),
                    source + (valid ? (first + row) * row_bytes + byte : 0), valid);
    }
  }

  __device__ unsigned char* stage(int k_tile) const {
    return shared + (k_tile - part.first_tile) % L::stages * L::stage;
  }

  __device__ void copy_tile(int k_tile) {
    if (k_tile < part.end_tile) {
      const std::int64_t first = static_cast<std::int64_t>(part.expert) * g.n;
      copy_rows<group_tile_m>(stage(k_tile), g.a, part.first_row, part.end_row, k_tile);
      copy_rows<columns>(stage(k_tile) + L::weights_at, g.weights, first + part.first_column, first + g.n, k_tile);
    }
    copy_async_commit();
  }

  __device__ void start_tile(int k_tile, bool first) {
    const int group_row = static_cast<int>(threadIdx.x) / 128 * 64;
    const unsigned char* a = stage(k_tile);
    group_fence();
    SERVECAST_UNROLL
    for (int column = 0; column < panel_row_bytes; column += 32)
      multiply_group<A, columns>(sums, operand_along_k<group_tile_m>(a, group_row, column),
                                 operand_along_k<columns>(a + L::weights_at, 0, column), !first || column > 0);
    group_commit();
  }

  __device__ void wait_for_copies() {
    copy_async_wait<1>();
    fence_async_proxy();
    block_barrier();
  }

  __device__ void write() const {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const int row = part.first_row + static_cast<int>(threadIdx.x) / warp_lanes * 16 + lane / 4;
    SERVECAST_UNROLL
    for (int n = 0; n < columns / 8; ++n) part.write(row, part.first_column + n * 8 + lane % 4 * 2, sums[n]);
  }

  /// Tiles are copied two ahead: whoever passes the barrier has seen the products of the tile before the last end, so
  /// the place of that one is free, and those of the last go on meanwhile. The first tile stands before the loop:
  /// only there may the compiler see sums that no product has made, or it lets products run one after the other. A
  /// split that got nothing of k takes one tile of zeros.
  __device__ void run() {
    static_assert(L::stages == 4);
    if (part.first_row >= part.end_row) return;  // the whole block
    if (part.end_tile <= part.first_tile) part.end_tile = part.first_tile + 1;
    copy_tile(part.first_tile);
    copy_tile(part.first_tile + 1);
    wait_for_copies();
    copy_tile(part.first_tile + 2);
    start_tile(part.first_tile, true);
    for (int k_tile = part.first_tile + 1; k_tile < part.end_tile; ++k_tile) {
      wait_for_copies();
      copy_tile(k_tile + 2);
      start_tile(k_tile, false);
      group_wait<1>();
    }
    group_wait<0>();
    copy_async_wait<0>();
    write();
  }
};

template <class Kind, int columns>
__global__ void __launch_bounds__(group_threads, 1) group_product_kernel(Gemm g) {
#if SERVECAST_GROUP_PRODUCTS
  GroupProduct<Kind, columns>{g}.run();
#endif
}

template <class Kind, int columns>
void start_group_tiles(const Gemm& g, Stream stream) {
  launch(group_product_kernel<Kind, columns>,
         {.grid_x = static_cast<unsigned>((g.n + columns - 1) / columns),
          .grid_y = static_cast<unsigned>((g.m + group_tile_m - 1) / group_tile_m),
          .grid_z = static_cast<unsigned>(g.expert_rows != nullptr ? g.experts : g.splits),
          .threads = group_threads,
          .shared_bytes = GroupLayout<columns>::bytes},
         stream, g);
}

/// Tiles of 256 columns read the rows half as often; where they are too few for the SMs of a Hopper GPU, 128.
template <class Kind>
void start_group(const Gemm& g, Stream stream) {
  constexpr std::int64_t processors = 132;
  const std::int64_t wide_tiles = static_cast<std::int64_t>((g.n + 255) / 256) * ((g.m + 127) / 128) * g.splits;
  if (wide_tiles >= processors)
    start_group_tiles<Kind, 256>(g, stream);
  else
    start_group_tiles<Kind, 128>(g, stream);
}

}  // namespace servecast::gemms
