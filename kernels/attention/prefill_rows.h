#pragma once
/// What the prefill kernels have in common. For .cu files.
#include "kernels/attention/prefill_attention.h"
#include "kernels/device/warp.h"

namespace servecast::prefill {

/// One block: queries `first_row` and what follows, `rows` of them, of one head of one sequence. The last queries,
/// which see most, go first, so that short blocks fill the end; heads that share keys run side by side.
template <int rows, int head_dim>
struct QueryBlock {
  const PrefillAttention& a;
  int head = static_cast<int>(blockIdx.x);
  int sequence = static_cast<int>(blockIdx.z);
  int begin = a.query_start[sequence];
  int new_tokens = a.query_start[sequence + 1] - begin;
  int first_row = static_cast<int>(gridDim.y - 1 - blockIdx.y) * rows;
  int prefix = a.context[sequence] - new_tokens;

  __device__ std::int64_t query_at(int row) const {
    return (static_cast<std::int64_t>(begin + first_row + row) * a.q_heads + head) * head_dim;
  }
  __device__ int queries() const { return new_tokens - first_row < rows ? new_tokens - first_row : rows; }
  __device__ int kv_head() const { return head / (a.q_heads / a.kv.kv_heads); }
  /// Tokens that any of the queries attends to.
  __device__ int end() const { return prefix + first_row + queries(); }
};

/// The grid of such blocks.
template <int rows>
LaunchShape query_blocks(const PrefillAttention& a, unsigned threads, unsigned shared_bytes) {
  return {.grid_x = static_cast<unsigned>(a.q_heads),
          .grid_y = static_cast<unsigned>((a.most_new_tokens + rows - 1) / rows),
          .grid_z = static_cast<unsigned>(a.sequences),
          .threads = threads,
          .shared_bytes = shared_bytes};
}

/// Softmax and sums of the 16 queries of a warp, in registers: the lane's two rows are lane / 4 and 8 more, and four
/// lanes share a row.
template <class Number, int head_dim, int tokens>
struct QueryRows {
  using Scores = FragmentC<float>[tokens / 8];
  int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int first = static_cast<int>(threadIdx.x) / warp_lanes * 16;  // row of the block
  FragmentC<float> sums[head_dim / 8] = {};
  float row_max[2] = {no_score, no_score};
  float row_sum[2] = {};

  /// What a row may not see yet is no score. `last_seen`: token that the block's row 0 sees last.
  __device__ void mask(Scores& scores, int first_token, int last_seen, float scale) const {
    SERVECAST_UNROLL
    for (auto& c : scores) {
      SERVECAST_UNROLL
      for (float& score : c.r) score *= scale;
    }
    if (first_token + tokens - 1 <= last_seen + first) return;  // the whole warp sees all
    SERVECAST_UNROLL
    for (int n = 0; n < tokens / 8; ++n) {
      SERVECAST_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int token = first_token + n * 8 + lane % 4 * 2 + i % 2;
        const int last = last_seen + first + lane / 4 + i / 2 * 8;
        if (token > last) scores[n].r[i] = no_score;
      }
    }
  }

  /// Online softmax.
  __device__ void weigh(Scores& scores) {
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

  /// Two neighbouring fragments of C are, as numbers of 16 bits, one of A: no way through memory. `k`: of 16 tokens.
  static __device__ FragmentA weight(const Scores& scores, int k) {
    const auto& left = scores[k * 2].r;
    const auto& right = scores[k * 2 + 1].r;
    return {{packed<Number>(left[0], left[1]), packed<Number>(left[2], left[3]), packed<Number>(right[0], right[1]),
             packed<Number>(right[2], right[3])}};
  }

  template <class Block>
  __device__ void write(const Block& block) const {
    SERVECAST_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int row = first + lane / 4 + i * 8;
      if (row >= block.queries()) continue;
      auto* out = static_cast<Number*>(block.a.out) + block.query_at(row) + lane % 4 * 2;
      SERVECAST_UNROLL
      for (int n = 0; n < head_dim / 8; ++n)
        *reinterpret_cast<std::uint32_t*>(out + n * 8) =
            packed<Number>(sums[n].r[i * 2] / row_sum[i], sums[n].r[i * 2 + 1] / row_sum[i]);
    }
  }
};

}  // namespace servecast::prefill
