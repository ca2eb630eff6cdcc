#pragma once
/// Text of the products with matrix instructions of warp groups (Hopper). For .cu files.
#include "kernels/device/swizzled.h"
#include "kernels/gemm/gemm_part.h"

namespace servecast::gemms {

inline constexpr int group_tile_m = 128;
inline constexpr int group_threads = 256;

struct GroupGemm {
  BoxMap a{};
  BoxMap weights{};
  Gemm product{};
};

/// A stage is one panel of rows and one of weights: 128 bytes of k each. Behind them their barriers.
template <int columns>
struct GroupLayout {
  static constexpr int weights_at = group_tile_m * panel_row_bytes;
  static constexpr int stage = weights_at + columns * panel_row_bytes;
  static constexpr int stages = columns == 256 ? 4 : 6;
  static constexpr int ahead = stages - 2;  // tiles that are under way while one is worked on
  static constexpr int barriers_at = stages * stage;
  static constexpr int bytes = barriers_at + stages * static_cast<int>(sizeof(CopyBarrier));
};

/// One block: 128 rows for two groups, `columns` columns.
template <class Kind, int columns>
struct GroupProduct {
  using L = GroupLayout<columns>;
  using A = typename Kind::A;
  static constexpr int tile_k = panel_row_bytes / static_cast<int>(sizeof(A));

  const GroupGemm& g;
  unsigned char* shared = dynamic_shared();
  CopyBarrier* barriers = reinterpret_cast<CopyBarrier*>(shared + L::barriers_at);
  ProductPart<Kind> part{g.product, {.rows = group_tile_m, .columns = columns, .k = tile_k}};
  FragmentC<typename Kind::Sum> sums[columns / 8] = {};

  __device__ int place(int k_tile) const { return (k_tile - part.first_tile) % L::stages; }

  /// By one thread. Rows of other experts may come with them; what becomes of those is not written.
  __device__ void copy_tile(int k_tile) {
    if (threadIdx.x != 0 || k_tile >= part.end_tile) return;
    unsigned char* stage = shared + place(k_tile) * L::stage;
    CopyBarrier* barrier = barriers + place(k_tile);
    barrier_expect(barrier, L::stage);
    copy_box(stage, g.a, k_tile * panel_row_bytes, part.first_row, barrier);
    copy_box(stage + L::weights_at, g.weights, k_tile * panel_row_bytes,
             part.expert * g.product.n + part.first_column, barrier);
  }

  __device__ void start_tile(int k_tile, bool first) {
    const int group_row = static_cast<int>(threadIdx.x) / 128 * 64;
    const unsigned char* a = shared + place(k_tile) * L::stage;
    group_fence();
    SERVECAST_UNROLL
    for (int column = 0; column < panel_row_bytes; column += 32)
      multiply_group<A, columns>(sums, operand_along_k<group_tile_m>(a, group_row, column),
                                 operand_along_k<columns>(a + L::weights_at, 0, column), !first || column > 0);
    group_commit();
  }

  /// This tile is there, and no warp is more than one behind.
  __device__ void wait_for(int k_tile) {
    barrier_wait(barriers + place(k_tile), (k_tile - part.first_tile) / L::stages % 2);
    block_barrier();
  }

  __device__ void write() const {
    const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
    const int row = part.first_row + static_cast<int>(threadIdx.x) / warp_lanes * 16 + lane / 4;
    SERVECAST_UNROLL
    for (int n = 0; n < columns / 8; ++n) part.write(row, part.first_column + n * 8 + lane % 4 * 2, sums[n]);
  }

  /// A warp that passes the barrier has seen the products of the tile before the last end, so the place of that one
  /// is free, and those of the last go on meanwhile. The first tile stands before the loop: only there may the
  /// compiler see sums that no product has made, or it lets products run one after the other. A split that got
  /// nothing of k takes one tile of zeros.
  __device__ void run() {
    if (part.first_row >= part.end_row) return;  // the whole block
    if (part.end_tile <= part.first_tile) part.end_tile = part.first_tile + 1;
    if (threadIdx.x == 0) {
      for (int i = 0; i < L::stages; ++i) barrier_init(barriers + i);
      barriers_ready();
    }
    block_barrier();
    for (int i = 0; i < L::ahead; ++i) copy_tile(part.first_tile + i);
    wait_for(part.first_tile);
    copy_tile(part.first_tile + L::ahead);
    start_tile(part.first_tile, true);
    for (int k_tile = part.first_tile + 1; k_tile < part.end_tile; ++k_tile) {
      wait_for(k_tile);
      copy_tile(k_tile + L::ahead);
      start_tile(k_tile, false);
      group_wait<1>();
    }
    group_wait<0>();
    write();
  }
};

template <class Kind, int columns>
__global__ void __launch_bounds__(group_threads, 1) group_product_kernel(const __grid_constant__ GroupGemm g) {
#if SERVECAST_GROUP_PRODUCTS
  GroupProduct<Kind, columns>{g}.run();
#endif
}

template <class Kind, int columns>
bool start_group_tiles(const Gemm& g, Stream stream) {
  const std::int64_t row_bytes = static_cast<std::int64_t>(g.k) * static_cast<int>(sizeof(typename Kind::A));
  const std::int64_t weights = static_cast<std::int64_t>(g.n) * g.experts;
  GroupGemm arguments{.product = g};
  if (!make_box_map(arguments.a, {.data = g.a, .rows = g.m, .row_bytes = row_bytes, .box_rows = group_tile_m}) ||
      !make_box_map(arguments.weights,
                    {.data = g.weights, .rows = weights, .row_bytes = row_bytes, .box_rows = columns}))
    return false;
  launch(group_product_kernel<Kind, columns>,
         {.grid_x = static_cast<unsigned>((g.n + columns - 1) / columns),
          .grid_y = static_cast<unsigned>((g.m + group_tile_m - 1) / group_tile_m),
          .grid_z = static_cast<unsigned>(g.expert_rows != nullptr ? g.experts : g.splits),
          .threads = group_threads,
          .shared_bytes = GroupLayout<columns>::bytes},
         stream, arguments);
  return true;
}

/// Tiles of 256 columns read the rows half as often; where they are too few for the SMs of a Hopper GPU, 128. False
/// where the operands cannot be copied by boxes.
template <class Kind>
bool start_group(const Gemm& g, Stream stream) {
  constexpr std::int64_t processors = 132;
  const std::int64_t wide_tiles = static_cast<std::int64_t>((g.n + 255) / 256) * ((g.m + 127) / 128) * g.splits;
  return wide_tiles >= processors ? start_group_tiles<Kind, 256>(g, stream) : start_group_tiles<Kind, 128>(g, stream);
}

}  // namespace servecast::gemms
