#pragma once
/// Text of the prefill kernels with matrix instructions of warp groups (Hopper). For .cu files.
#include "kernels/kv_tile.h"
#include "kernels/prefill_rows.h"
#include "kernels/swizzled.h"

namespace servecast::prefill {

inline constexpr int group_threads = 256;
inline constexpr int group_rows = 128;  // queries of a block
inline constexpr int group_stages = 2;

/// Queries, then tiles of keys and values in `group_stages` places; all in panels.
template <class Number, int head_dim, int tokens>
struct GroupLayout {
  static constexpr int row = head_dim * static_cast<int>(sizeof(Number));
  static constexpr int tile = tokens * row;
  static constexpr int tiles_at = group_rows * row;
  static constexpr int bytes = tiles_at + group_stages * 2 * tile;
  static_assert(bytes <= 227 * 1024);
};

/// One block: 128 queries of one head of one sequence for two groups; while one works on its softmax, the matrix
/// units are the other's.
template <class Number, int head_dim, int tokens>
struct GroupPrefiller {
  using L = GroupLayout<Number, head_dim, tokens>;
  using Rows = QueryRows<Number, head_dim, tokens>;

  QueryBlock<group_rows, head_dim> block;
  unsigned char* shared = dynamic_shared();
  Rows own{};

  /// Asynchronously; part of the first group of copies.
  __device__ void copy_queries() {
    constexpr int vectors = L::row / 16;
    const auto* queries = static_cast<const unsigned char*>(block.a.queries);
    for (int i = static_cast<int>(threadIdx.x); i < group_rows * vectors; i += group_threads) {
      const int row = i / vectors;
      const int column = i % vectors * 16;
      const bool valid = row < block.queries();
      const std::int64_t at = valid ? block.query_at(row) * static_cast<int>(sizeof(Number)) + column : 0;
      copy_async_16(shared + SwizzledRows<group_rows>::at(row, column), queries + at, valid);
    }
  }

  __device__ unsigned char* tile(int stage) { return shared + L::tiles_at + stage * 2 * L::tile; }

  __device__ void copy_tile(int stage, int first, int end) {
    const KvRows rows{.sequence = block.sequence, .kv_head = block.kv_head(), .first = first, .end = end};
    if (first < end) {
      const PagedKv& kv = block.a.kv;
      using Places = SwizzledRows<tokens>;
      copy_kv_tile<Number, head_dim, tokens, group_threads, Places>(tile(stage), kv.keys, kv, rows);
      copy_kv_tile<Number, head_dim, tokens, group_threads, Places>(tile(stage) + L::tile, kv.values, kv, rows);
    }
    copy_async_commit();
  }

  __device__ void score(typename Rows::Scores& scores, const unsigned char* keys) {
    const int group_row = static_cast<int>(threadIdx.x) / 128 * 64;
    group_fence();
    SERVECAST_UNROLL
    for (int column = 0; column < L::row; column += 32)
      multiply_group<Number, tokens>(scores, operand_along_k<group_rows>(shared, group_row, column),
                                     operand_along_k<tokens>(keys, 0, column), column > 0);
    group_commit();
    group_wait<0>();
  }

  __device__ void add_values(const typename Rows::Scores& scores, const unsigned char* values) {
    FragmentA weights[tokens / 16];
    SERVECAST_UNROLL
    for (int k = 0; k < tokens / 16; ++k) weights[k] = Rows::weight(scores, k);
    group_fence();
    SERVECAST_UNROLL
    for (int k = 0; k < tokens / 16; ++k)
      multiply_group<Number, head_dim>(own.sums, weights[k], operand_across_k<tokens>(values, k * 16), true);
    group_commit();
    group_wait<0>();
  }

  __device__ void take_tile(const unsigned char* stored, int first) {
    typename Rows::Scores scores = {};
    score(scores, stored);
    own.mask(scores, first, block.prefix + block.first_row, block.a.scale * log2_of_e);
    own.weigh(scores);
    add_values(scores, stored + L::tile);
  }

  __device__ void run() {
    if (block.first_row >= block.new_tokens) return;  // the whole block
    const int end = block.end();
    copy_queries();
    copy_tile(0, 0, end);
    int stage = 0;
    for (int first = 0; first < end; first += tokens) {
      copy_tile(stage ^ 1, first + tokens, end);
      copy_async_wait<1>();
      fence_async_proxy();
      block_barrier();  // everybody's copies are there
      take_tile(tile(stage), first);
      block_barrier();  // nobody reads this place any more
      stage ^= 1;
    }
    copy_async_wait<0>();
    own.write(block);
  }
};

template <class Number, int head_dim, int tokens>
__global__ void __launch_bounds__(group_threads, 1) group_prefill_kernel(PrefillAttention a) {
#if SERVECAST_GROUP_PRODUCTS
  GroupPrefiller<Number, head_dim, tokens>{.block = {.a = a}}.run();
#endif
}

template <class Number, int head_dim, int tokens>
void start_group(const PrefillAttention& a, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>((a.most_new_tokens + group_rows - 1) / group_rows),
                          .grid_y = static_cast<unsigned>(a.q_heads),
                          .grid_z = static_cast<unsigned>(a.sequences),
                          .threads = group_threads,
                          .shared_bytes = GroupLayout<Number, head_dim, tokens>::bytes};
  launch(group_prefill_kernel<Number, head_dim, tokens>, shape, stream, a);
}

}  // namespace servecast::prefill
