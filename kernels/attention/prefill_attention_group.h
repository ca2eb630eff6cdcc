#pragma once
/// Text of the prefill kernels with matrix instructions of warp groups (Hopper). For .cu files.
#include "kernels/attention/prefill_rows.h"
#include "kernels/device/swizzled.h"

namespace servecast::prefill {

inline constexpr int group_threads = 256;
inline constexpr int group_rows = 128;  // queries of a block
inline constexpr int group_stages = 2;

struct GroupPrefill {
  BoxMap keys{};
  BoxMap values{};
  PrefillAttention attention{};
};

/// Queries, then tiles of keys and values in `group_stages` places, all in panels; then the barriers of those places.
template <class Number, int head_dim, int tokens>
struct GroupLayout {
  static constexpr int row = head_dim * static_cast<int>(sizeof(Number));
  static constexpr int tile = tokens * row;
  static constexpr int tiles_at = group_rows * row;
  static constexpr int barriers_at = tiles_at + group_stages * 2 * tile;
  static constexpr int bytes = barriers_at + group_stages * static_cast<int>(sizeof(CopyBarrier));
  static_assert(bytes <= 227 * 1024);
};

/// One block: 128 queries of one head of one sequence for two groups; while one works on its softmax, the matrix
/// units are the other's.
template <class Number, int head_dim, int tokens>
struct GroupPrefiller {
  using L = GroupLayout<Number, head_dim, tokens>;
  using Rows = QueryRows<Number, head_dim, tokens>;

  const GroupPrefill& a;
  QueryBlock<group_rows, head_dim> block{.a = a.attention};
  unsigned char* shared = dynamic_shared();
  CopyBarrier* barriers = reinterpret_cast<CopyBarrier*>(shared + L::barriers_at);
  Rows own{};

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

  __device__ unsigned char* tile(int index) { return shared + L::tiles_at + index % group_stages * 2 * L::tile; }

  /// By the lanes of one warp: boxes of a block of KV each, or of a tile's part of it. The first waits until all are
  /// there; boxes beyond the last token are left out.
  __device__ void copy_tile(int index) {
    const int first = index * tokens;
    const int end = block.end();
    if (threadIdx.x >= warp_lanes || first >= end) return;
    const PagedKv& kv = block.a.kv;
    const int box_tokens = kv.block_tokens < tokens ? kv.block_tokens : tokens;
    const int left = end - first < tokens ? end - first : tokens;
    const int boxes = (left + box_tokens - 1) / box_tokens;
    CopyBarrier* barrier = barriers + index % group_stages;
    if (threadIdx.x == 0) barrier_expect(barrier, boxes * box_tokens * L::row * 2);
    const std::int32_t* table = kv.block_table + static_cast<std::int64_t>(block.sequence) * kv.blocks_per_sequence;
    constexpr int panels = L::row / panel_row_bytes;
    for (int i = static_cast<int>(threadIdx.x); i < boxes * panels; i += warp_lanes) {
      const int token = i / panels * box_tokens;
      const int column = i % panels * panel_row_bytes;
      const int row = (table[(first + token) / kv.block_tokens] * kv.kv_heads + block.kv_head()) * kv.block_tokens +
                      (first + token) % kv.block_tokens;
      unsigned char* to = tile(index) + SwizzledRows<tokens>::at(token, column);
      copy_box(to, a.keys, column, row, barrier);
      copy_box(to + L::tile, a.values, column, row, barrier);
    }
  }

  /// Values of tokens that are none yet may be anything, and a weight of 0 does not make 0 of everything.
  __device__ void clear_values(int index) {
    const int first = block.end() - index * tokens;
    constexpr int vectors = L::row / 16;
    for (int i = first * vectors + static_cast<int>(threadIdx.x); i < tokens * vectors; i += group_threads)
      copy_async_16(tile(index) + L::tile + SwizzledRows<tokens>::at(i / vectors, i % vectors * 16), block.a.queries,
                    false);
    wait_for_copies();
  }

  /// Of 16 bytes, by all threads.
  __device__ void wait_for_copies() {
    copy_async_commit();
    copy_async_wait<0>();
    fence_async_proxy();
    block_barrier();
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
    if (threadIdx.x == 0) {
      for (int i = 0; i < group_stages; ++i) barrier_init(barriers + i);
      barriers_ready();
    }
    copy_queries();
    wait_for_copies();
    copy_tile(0);
    for (int index = 0; index * tokens < block.end(); ++index) {
      copy_tile(index + 1);
      barrier_wait(barriers + index % group_stages, index / group_stages % 2);
      if ((index + 1) * tokens > block.end()) clear_values(index);
      take_tile(tile(index), index * tokens);
      block_barrier();  // no thread reads this place any more
    }
    own.write(block);
  }
};

template <class Number, int head_dim, int tokens>
__global__ void __launch_bounds__(group_threads, 1) group_prefill_kernel(const __grid_constant__ GroupPrefill a) {
#if SERVECAST_GROUP_PRODUCTS
  GroupPrefiller<Number, head_dim, tokens>{.a = a}.run();
#endif
}

/// False where blocks of KV do not fill tiles by boxes, which begin at multiples of eight rows.
template <class Number, int head_dim, int tokens>
bool start_group(const PrefillAttention& a, Stream stream) {
  using L = GroupLayout<Number, head_dim, tokens>;
  const int block = a.kv.block_tokens;
  if (!has_group_products() || block % 8 != 0 || (tokens % block != 0 && block % tokens != 0)) return false;
  constexpr std::int64_t as_many_as_there_are = 0x7fffffff;  // the table names none that is not
  BoxedRows rows{.data = a.kv.keys,
                 .rows = as_many_as_there_are,
                 .row_bytes = L::row,
                 .box_rows = block < tokens ? block : tokens};
  GroupPrefill arguments{.attention = a};
  if (!make_box_map(arguments.keys, rows)) return false;
  rows.data = a.kv.values;
  if (!make_box_map(arguments.values, rows)) return false;
  launch(group_prefill_kernel<Number, head_dim, tokens>, query_blocks<group_rows>(a, group_threads, L::bytes), stream,
         arguments);
  return true;
}

}  // namespace servecast::prefill
