#pragma once
/// Text of the prefill kernels (FlashAttention-2, arXiv 2307.08691, algorithm 1). For .cu files.
#include "kernels/attention/kv_tile.h"
#include "kernels/attention/prefill_attention_group.h"
#include "kernels/attention/prefill_rows.h"

namespace servecast::prefill {

inline constexpr int threads = 128;
inline constexpr int rows = threads / warp_lanes * 16;  // queries of a block
inline constexpr int stages = 2;

/// Queries, then tiles of keys and values in `stages` places.
template <class Number, int head_dim, int tokens>
struct Layout {
  static constexpr int row = row_bytes<Number, head_dim>;
  static constexpr int tile = tokens * row;
  static constexpr int tiles_at = rows * row;
  static constexpr int bytes = tiles_at + stages * 2 * tile;
};

/// One block: 64 queries of one head of one sequence; each warp has 16 of them to itself, all share the tiles.
template <class Number, int head_dim, int tokens>
struct Prefiller {
  using L = Layout<Number, head_dim, tokens>;
  using Rows = QueryRows<Number, head_dim, tokens>;

  QueryBlock<rows, head_dim> block;
  unsigned char* shared = dynamic_shared();
  Rows own{};

  __device__ void load_queries() {
    constexpr int vectors = head_dim / per_vector<Number>;
    for (int i = static_cast<int>(threadIdx.x); i < rows * vectors; i += threads) {
      const int row = i / vectors;
      const int column = i % vectors * per_vector<Number>;
      Vector16 vector{};
      if (row < block.queries())
        vector = *reinterpret_cast<const Vector16*>(static_cast<const Number*>(block.a.queries) +
                                                    block.query_at(row) + column);
      *reinterpret_cast<Vector16*>(shared + row * L::row + i % vectors * 16) = vector;
    }
  }

  __device__ unsigned char* tile(int stage) { return shared + L::tiles_at + stage * 2 * L::tile; }

  __device__ void copy_tile(int stage, int first, int end) {
    const KvRows kv_rows{.sequence = block.sequence, .kv_head = block.kv_head(), .first = first, .end = end};
    if (first < end) {
      const PagedKv& kv = block.a.kv;
      copy_kv_tile<Number, head_dim, tokens, threads>(tile(stage), kv.keys, kv, kv_rows);
      copy_kv_tile<Number, head_dim, tokens, threads>(tile(stage) + L::tile, kv.values, kv, kv_rows);
    }
    copy_async_commit();
  }

  __device__ void score(typename Rows::Scores& scores, const unsigned char* keys) {
    SERVECAST_UNROLL
    for (int k = 0; k < head_dim; k += 16) {
      const FragmentA query = load_a(shared + own.first * L::row, L::row, k);
      SERVECAST_UNROLL
      for (int n = 0; n < tokens / 8; ++n)
        multiply_add<Number>(scores[n], query, load_b_of_rows(keys + n * 8 * L::row, L::row, k));
    }
  }

  __device__ void add_values(const typename Rows::Scores& weights, const unsigned char* values) {
    SERVECAST_UNROLL
    for (int k = 0; k < tokens / 16; ++k) {
      const FragmentA weight = Rows::weight(weights, k);
      SERVECAST_UNROLL
      for (int n = 0; n < head_dim / 8; ++n)
        multiply_add<Number>(own.sums[n], weight, load_b_of_columns(values + k * 16 * L::row, L::row, n * 8));
    }
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
    load_queries();
    const int end = block.end();
    copy_tile(0, 0, end);
    int stage = 0;
    for (int first = 0; first < end; first += tokens) {
      copy_tile(stage ^ 1, first + tokens, end);
      copy_async_wait<1>();
      block_barrier();  // all threads' copies are there
      take_tile(tile(stage), first);
      block_barrier();  // no thread reads this place any more
      stage ^= 1;
    }
    copy_async_wait<0>();
    own.write(block);
  }
};

template <class Number, int head_dim, int tokens>
__global__ void __launch_bounds__(threads) prefill_kernel(PrefillAttention a) {
  Prefiller<Number, head_dim, tokens>{.block = {.a = a}}.run();
}

template <class Number, int head_dim, int tokens>
void start(const PrefillAttention& a, Stream stream) {
  launch(prefill_kernel<Number, head_dim, tokens>,
         query_blocks<rows>(a, threads, Layout<Number, head_dim, tokens>::bytes), stream, a);
}

/// Matrix instructions of warp groups where there are some, with tiles of `group_tokens`.
template <class Number, int head_dim, int group_tokens, int tokens>
bool start_best(const PrefillAttention& a, Stream stream) {
  if (!start_group<Number, head_dim, group_tokens>(a, stream)) start<Number, head_dim, tokens>(a, stream);
  return true;
}

template <class Number>
bool start_head(const PrefillAttention& a, int head_dim, Stream stream) {
  switch (head_dim) {
    case 64:
      return start_best<Number, 64, 128, 64>(a, stream);
    case 128:
      return start_best<Number, 128, 128, 64>(a, stream);
    case 256:
      return start_best<Number, 256, 64, 32>(a, stream);
    default:
      return false;
  }
}

/// One number a file: nvcc takes its time.
bool bf16(const PrefillAttention& a, int head_dim, Stream stream);

}  // namespace servecast::prefill
