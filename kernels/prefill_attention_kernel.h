#pragma once
/// Text of the prefill kernels (FlashAttention-2, arXiv 2307.08691, algorithm 1). For .cu files.
#include "kernels/kv_tile.h"
#include "kernels/prefill_attention.h"

namespace servecast::prefill {

inline constexpr int threads = 128;
inline constexpr int warp_rows = 16;
inline constexpr int rows = threads / warp_lanes * warp_rows;  // queries of a block
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

  const PrefillAttention& a;
  unsigned char* shared = dynamic_shared();
  int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int head = static_cast<int>(blockIdx.y);
  int sequence = static_cast<int>(blockIdx.z);
  int begin = a.query_start[sequence];
  int new_tokens = a.query_start[sequence + 1] - begin;
  int first_row = static_cast<int>(blockIdx.x) * rows;
  int prefix = a.context[sequence] - new_tokens;
  FragmentC<float> sums[head_dim / 8] = {};
  float row_max[2] = {no_score, no_score};
  float row_sum[2] = {};

  __device__ std::int64_t query_at(int row) const {
    return (static_cast<std::int64_t>(begin + first_row + row) * a.q_heads + head) * head_dim;
  }
  __device__ int queries() const { return new_tokens - first_row < rows ? new_tokens - first_row : rows; }

  __device__ void load_queries() {
    constexpr int vectors = head_dim / per_vector<Number>;
    for (int i = static_cast<int>(threadIdx.x); i < rows * vectors; i += threads) {
      const int row = i / vectors;
      const int column = i % vectors * per_vector<Number>;
      Vector16 vector{};
      if (row < queries())
        vector = *reinterpret_cast<const Vector16*>(static_cast<const Number*>(a.queries) + query_at(row) + column);
      *reinterpret_cast<Vector16*>(shared + row * L::row + i % vectors * 16) = vector;
    }
  }

  __device__ unsigned char* tile(int stage) { return shared + L::tiles_at + stage * 2 * L::tile; }

  __device__ void copy_tile(int stage, int first, int end) {
    const KvRows kv_rows{
        .sequence = sequence, .kv_head = head / (a.q_heads / a.kv.kv_heads), .first = first, .end = end};
    if (first < end) {
      copy_kv_tile<Number, head_dim, tokens, threads>(tile(stage), a.kv.keys, a.kv, kv_rows);
      copy_kv_tile<Number, head_dim, tokens, threads>(tile(stage) + L::tile, a.kv.values, a.kv, kv_rows);
    }
    copy_async_commit();
  }

  /// Scores of the warp's rows; what a row may not see yet is no score.
  __device__ void score(FragmentC<float> (&scores)[tokens / 8], const unsigned char* keys, int first) {
    SERVECAST_UNROLL
    for (int k = 0; k < head_dim; k += 16) {
      const FragmentA query = load_a(shared + warp * warp_rows * L::row, L::row, k);
      SERVECAST_UNROLL
      for (int n = 0; n < tokens / 8; ++n)
        multiply_add<Number>(scores[n], query, load_b_of_rows(keys + n * 8 * L::row, L::row, k));
    }
    const float scale = a.scale * log2_of_e;
    SERVECAST_UNROLL
    for (int n = 0; n < tokens / 8; ++n) {
      SERVECAST_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int token = first + n * 8 + lane % 4 * 2 + i % 2;
        const int last_seen = prefix + first_row + warp * warp_rows + lane / 4 + i / 2 * 8;
        scores[n].r[i] = token <= last_seen ? scores[n].r[i] * scale : no_score;
      }
    }
  }

  /// Online softmax in registers; four lanes share a row.
  __device__ void weigh(FragmentC<float> (&scores)[tokens / 8]) {
    SERVECAST_UNROLL
    for (int i = 0; i < 2; ++i) {
      float largest = row_max[i];
      SERVECAST_UNROLL
      for (const auto& c : scores) largest = fmaxf(largest, fmaxf(c.r[i * 2], c.r[i * 2 + 1]));
      largest = max_over_lanes<4>(largest);
      const float factor = exp2_fast(row_max[i] - largest);
      float sum = 0;
      SERVECAST_UNROLL
      for (auto& c : scores) {
        c.r[i * 2] = exp2_fast(c.r[i * 2] - largest);
        c.r[i * 2 + 1] = exp2_fast(c.r[i * 2 + 1] - largest);
        sum += c.r[i * 2] + c.r[i * 2 + 1];
      }
      SERVECAST_UNROLL
      for (auto& c : sums) {
        c.r[i * 2] *= factor;
        c.r[i * 2 + 1] *= factor;
      }
      row_sum[i] = row_sum[i] * factor + sum_over_lanes<4>(sum);
      row_max[i] = largest;
    }
  }

  /// Two neighbouring fragments of C are, as numbers of 16 bits, one of A: no way through memory.
  __device__ void add_values(const FragmentC<float> (&weights)[tokens / 8], const unsigned char* values) {
    SERVECAST_UNROLL
    for (int k = 0; k < tokens / 16; ++k) {
      const auto& left = weights[k * 2].r;
      const auto& right = weights[k * 2 + 1].r;
      const FragmentA weight{{packed<Number>(left[0], left[1]), packed<Number>(left[2], left[3]),
                              packed<Number>(right[0], right[1]), packed<Number>(right[2], right[3])}};
      SERVECAST_UNROLL
      for (int n = 0; n < head_dim / 8; ++n)
        multiply_add<Number>(sums[n], weight, load_b_of_columns(values + k * 16 * L::row, L::row, n * 8));
    }
  }

  __device__ void take_tile(const unsigned char* stored, int first) {
    FragmentC<float> scores[tokens / 8] = {};
    score(scores, stored, first);
    weigh(scores);
    add_values(scores, stored + L::tile);
  }

  __device__ void write() {
    SERVECAST_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int row = warp * warp_rows + lane / 4 + i * 8;
      if (row >= queries()) continue;
      auto* out = static_cast<Number*>(a.out) + query_at(row) + lane % 4 * 2;
      SERVECAST_UNROLL
      for (int n = 0; n < head_dim / 8; ++n)
        *reinterpret_cast<std::uint32_t*>(out + n * 8) =
            packed<Number>(sums[n].r[i * 2] / row_sum[i], sums[n].r[i * 2 + 1] / row_sum[i]);
    }
  }

  __device__ void run() {
    if (first_row >= new_tokens) return;  // the whole block
    load_queries();
    const int end = prefix + first_row + queries();
    copy_tile(0, 0, end);
    int stage = 0;
    for (int first = 0; first < end; first += tokens) {
      copy_tile(stage ^ 1, first + tokens, end);
      copy_async_wait<1>();
      block_barrier();  // everybody's copies are there
      take_tile(tile(stage), first);
      block_barrier();  // nobody reads this place any more
      stage ^= 1;
    }
    copy_async_wait<0>();
    write();
  }
};

template <class Number, int head_dim, int tokens>
__global__ void __launch_bounds__(threads) prefill_kernel(PrefillAttention a) {
  Prefiller<Number, head_dim, tokens>{a}.run();
}

template <class Number, int head_dim, int tokens>
void start(const PrefillAttention& a, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>((a.most_new_tokens + rows - 1) / rows),
                          .grid_y = static_cast<unsigned>(a.q_heads),
                          .grid_z = static_cast<unsigned>(a.sequences),
                          .threads = threads,
                          .shared_bytes = Layout<Number, head_dim, tokens>::bytes};
  launch(prefill_kernel<Number, head_dim, tokens>, shape, stream, a);
}

template <class Number>
bool start_head(const PrefillAttention& a, int head_dim, Stream stream) {
  if (head_dim == 64)
    start<Number, 64, 64>(a, stream);
  else if (head_dim == 128)
    start<Number, 128, 64>(a, stream);
  else if (head_dim == 256)
    start<Number, 256, 32>(a, stream);
  else
    return false;
  return true;
}

/// One number a file: nvcc takes its time.
bool bf16(const PrefillAttention& a, int head_dim, Stream stream);

}  // namespace servecast::prefill
