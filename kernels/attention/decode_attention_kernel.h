#pragma once
/// Text of the decode kernels. For .cu files.
#include "kernels/attention/decode_attention.h"
#include "kernels/attention/kv_tile.h"

namespace servecast::decode {

inline constexpr int threads = 128;
inline constexpr int warps = threads / warp_lanes;
inline constexpr int rows = 16;  // queries
inline constexpr int stages = 2;
inline constexpr int lanes_per_row = threads / rows;

/// Shared memory, from the front: queries, scores, weights, one factor per row, tiles of keys and values as stored in
/// `stages` places, and where those are fp8, both once more as `Number`.
template <class Number, class Kv, int key_dim, int value_dim, int tokens>
struct Layout {
  static constexpr bool shared_values = key_dim != value_dim;  // MLA: values are the front of keys
  static constexpr bool converts = sizeof(Kv) != sizeof(Number);
  static constexpr int query_row = row_bytes<Number, key_dim>;
  static constexpr int score_row = tokens * 4 + row_pad_bytes;
  static constexpr int weight_row = row_bytes<Number, tokens>;
  static constexpr int key_tile = tokens * row_bytes<Kv, key_dim>;
  static constexpr int value_tile = shared_values ? 0 : tokens * row_bytes<Kv, value_dim>;
  static constexpr int scores_at = rows * query_row;
  static constexpr int weights_at = scores_at + rows * score_row;
  static constexpr int factors_at = weights_at + rows * weight_row;
  static constexpr int tiles_at = factors_at + rows * 4;
  static constexpr int converted_at = tiles_at + stages * (key_tile + value_tile);
  static constexpr int bytes = converted_at + (converts ? tokens * 2 * row_bytes<Number, key_dim> : 0);
};

/// One block: 16 queries of one KV head over one split of one sequence's KV.
template <class Number, class Kv, int key_dim, int value_dim, int tokens>
struct Decoder {
  using L = Layout<Number, Kv, key_dim, value_dim, tokens>;
  static constexpr int warp_columns = value_dim / warps;  // of the output, per warp
  static constexpr int warp_tokens = tokens / warps;      // of the scores, per warp

  const DecodeAttention& a;
  unsigned char* shared = dynamic_shared();
  int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  int sequence = static_cast<int>(blockIdx.z);
  int group = a.q_heads / a.kv.kv_heads;
  int row_blocks = (group + rows - 1) / rows;
  int kv_head = static_cast<int>(blockIdx.y) / row_blocks;
  int first_query = static_cast<int>(blockIdx.y) % row_blocks * rows;  // within the group
  int begin = 0;
  int end = 0;
  FragmentC<float> sums[warp_columns / 8] = {};
  // Of the row that this thread weighs, the same in all lanes_per_row lanes.
  float row_max = no_score;
  float row_sum = 0;

  __device__ std::int64_t query_row(int row) const {
    return static_cast<std::int64_t>(sequence) * a.q_heads + kv_head * group + first_query + row;
  }
  __device__ int queries() const { return group - first_query < rows ? group - first_query : rows; }

  __device__ void find_split() {
    const int context = a.context[sequence];
    const int tiles = (context + tokens - 1) / tokens;
    const int each = (tiles + a.splits - 1) / a.splits;
    begin = static_cast<int>(blockIdx.x) * each * tokens;
    const int behind = begin + each * tokens;
    end = behind < context ? behind : context;
  }

  __device__ void load_queries() {
    constexpr int vectors = key_dim / per_vector<Number>;
    const auto* queries_at = static_cast<const Vector16*>(a.queries);
    for (int i = static_cast<int>(threadIdx.x); i < rows * vectors; i += threads) {
      const int row = i / vectors;
      const Vector16 vector = row < queries() ? queries_at[query_row(row) * vectors + i % vectors] : Vector16{};
      *reinterpret_cast<Vector16*>(shared + row * L::query_row + i % vectors * 16) = vector;
    }
  }

  __device__ unsigned char* tile(int stage) { return shared + L::tiles_at + stage * (L::key_tile + L::value_tile); }

  __device__ void copy_tile(int stage, int first) {
    const KvRows kv_rows{.sequence = sequence, .kv_head = kv_head, .first = first, .end = end};
    if (first < end) {
      copy_kv_tile<Kv, key_dim, tokens, threads>(tile(stage), a.kv.keys, a.kv, kv_rows);
      if constexpr (!L::shared_values)
        copy_kv_tile<Kv, value_dim, tokens, threads>(tile(stage) + L::key_tile, a.kv.values, a.kv, kv_rows);
    }
    copy_async_commit();
  }

  /// Scores of warp_tokens tokens a warp.
  __device__ void score(const unsigned char* keys, int first) {
    constexpr int key_row = row_bytes<Number, key_dim>;
    const float scale = a.scale * a.key_scale * log2_of_e;
    SERVECAST_UNROLL
    for (int n = 0; n < warp_tokens / 8; ++n) {
      const int token = warp * warp_tokens + n * 8;
      FragmentC<float> c{};
      SERVECAST_UNROLL
      for (int k = 0; k < key_dim; k += 16)
        multiply_add<Number>(c, load_a(shared, L::query_row, k), load_b_of_rows(keys + token * key_row, key_row, k));
      SERVECAST_UNROLL
      for (int i = 0; i < 4; ++i) {
        const int column = token + lane % 4 * 2 + i % 2;
        auto* row = reinterpret_cast<float*>(shared + L::scores_at + (lane / 4 + i / 2 * 8) * L::score_row);
        row[column] = first + column < end ? c.r[i] * scale : no_score;
      }
    }
  }

  /// Online softmax: weights relative to the largest score so far, and the factor that makes older sums so, too.
  __device__ void weigh() {
    const int row = static_cast<int>(threadIdx.x) / lanes_per_row;
    const int part = static_cast<int>(threadIdx.x) % lanes_per_row;
    const auto* scores = reinterpret_cast<const float*>(shared + L::scores_at + row * L::score_row);
    auto* weights = reinterpret_cast<Number*>(shared + L::weights_at + row * L::weight_row);
    float largest = row_max;
    SERVECAST_UNROLL
    for (int i = part; i < tokens; i += lanes_per_row) largest = fmaxf(largest, scores[i]);
    largest = max_over_lanes<lanes_per_row>(largest);
    float sum = 0;
    SERVECAST_UNROLL
    for (int i = part; i < tokens; i += lanes_per_row) {
      const float weight = exp2_fast(scores[i] - largest);
      weights[i] = from_float<Number>(weight);
      sum += weight;
    }
    const float factor = exp2_fast(row_max - largest);
    row_sum = row_sum * factor + sum_over_lanes<lanes_per_row>(sum);
    row_max = largest;
    if (part == 0) reinterpret_cast<float*>(shared + L::factors_at)[row] = factor;
  }

  /// warp_columns columns of the output a warp.
  __device__ void add_values(const unsigned char* values, int value_row) {
    const auto* factors = reinterpret_cast<const float*>(shared + L::factors_at);
    const float factor[2] = {factors[lane / 4], factors[lane / 4 + 8]};
    SERVECAST_UNROLL
    for (FragmentC<float>& sum : sums) {
      SERVECAST_UNROLL
      for (int i = 0; i < 4; ++i) sum.r[i] *= factor[i / 2];
    }
    SERVECAST_UNROLL
    for (int k = 0; k < tokens; k += 16) {
      const FragmentA weights = load_a(shared + L::weights_at, L::weight_row, k);
      SERVECAST_UNROLL
      for (int n = 0; n < warp_columns / 8; ++n)
        multiply_add<Number>(sums[n], weights,
                             load_b_of_columns(values + k * value_row, value_row, warp * warp_columns + n * 8));
    }
  }

  __device__ void take_tile(const unsigned char* stored, int first) {
    const unsigned char* keys = stored;
    const unsigned char* values = L::shared_values ? stored : stored + L::key_tile;
    if constexpr (L::converts) {
      unsigned char* converted = shared + L::converted_at;
      constexpr int half = tokens * row_bytes<Number, key_dim>;
      convert_tile<Kv, Number, key_dim, tokens, threads>(keys, converted);
      convert_tile<Kv, Number, value_dim, tokens, threads>(values, converted + half);
      block_barrier();
      keys = converted;
      values = converted + half;
    }
    score(keys, first);
    block_barrier();
    weigh();
    block_barrier();
    add_values(values, row_bytes < Number, L::shared_values ? key_dim : value_dim >);
  }

  /// Where the sums stand for good: at [row][2] of factors and scores' place, largest score and sum of weights.
  __device__ void write() {
    block_barrier();
    const int own_row = static_cast<int>(threadIdx.x) / lanes_per_row;
    auto* stand = reinterpret_cast<float*>(shared + L::scores_at);
    if (threadIdx.x % lanes_per_row == 0) {
      stand[own_row * 2] = row_max;
      stand[own_row * 2 + 1] = row_sum;
    }
    block_barrier();
    SERVECAST_UNROLL
    for (int i = 0; i < 2; ++i) {
      const int row = lane / 4 + i * 8;
      if (row < queries()) write_row(row, i * 2, stand[row * 2], stand[row * 2 + 1]);
    }
  }

  __device__ void write_row(int row, int registers, float largest, float sum) {
    const std::int64_t part = query_row(row) * a.splits + static_cast<int>(blockIdx.x);
    const std::int64_t floats = static_cast<std::int64_t>(a.sequences) * a.q_heads * a.splits * value_dim;
    const bool whole = a.splits == 1;
    const float factor = whole ? a.value_scale / sum : a.value_scale;
    SERVECAST_UNROLL
    for (int n = 0; n < warp_columns / 8; ++n) {
      const int column = warp * warp_columns + n * 8 + lane % 4 * 2;
      const float low = sums[n].r[registers] * factor;
      const float high = sums[n].r[registers + 1] * factor;
      if (whole) {
        auto* out = static_cast<std::uint32_t*>(a.out);
        out[(query_row(row) * value_dim + column) / 2] = packed<Number>(low, high);
      } else {
        a.partial[part * value_dim + column] = low;
        a.partial[part * value_dim + column + 1] = high;
      }
    }
    if (!whole && warp == 0 && lane % 4 == 0) {
      a.partial[floats + part * 2] = largest;
      a.partial[floats + part * 2 + 1] = sum;
    }
  }

  __device__ void run() {
    find_split();
    load_queries();
    copy_tile(0, begin);
    int stage = 0;
    for (int first = begin; first < end; first += tokens) {
      copy_tile(stage ^ 1, first + tokens);
      copy_async_wait<1>();
      block_barrier();  // all threads' copies are there
      take_tile(tile(stage), first);
      block_barrier();  // no thread reads this place any more
      stage ^= 1;
    }
    copy_async_wait<0>();
    write();
  }
};

template <class Number, class Kv, int key_dim, int value_dim, int tokens>
__global__ void __launch_bounds__(threads) decode_kernel(DecodeAttention a) {
  Decoder<Number, Kv, key_dim, value_dim, tokens>{a}.run();
}

/// Puts the splits of one query together: weights of a split count by exp2 of its largest score.
template <class Number, int value_dim>
__global__ void __launch_bounds__(threads) reduce_kernel(DecodeAttention a) {
  const std::int64_t query = blockIdx.x;
  const float* stand = a.partial + static_cast<std::int64_t>(a.sequences) * a.q_heads * a.splits * value_dim;
  stand += query * a.splits * 2;
  float largest = no_score;
  for (int s = 0; s < a.splits; ++s) largest = fmaxf(largest, stand[s * 2]);
  float sum = 0;
  for (int s = 0; s < a.splits; ++s) sum += exp2_fast(stand[s * 2] - largest) * stand[s * 2 + 1];
  for (int column = static_cast<int>(threadIdx.x); column < value_dim; column += threads) {
    float value = 0;
    for (int s = 0; s < a.splits; ++s)
      value += exp2_fast(stand[s * 2] - largest) * a.partial[(query * a.splits + s) * value_dim + column];
    static_cast<Number*>(a.out)[query * value_dim + column] = from_float<Number>(value / sum);
  }
}

template <class Number, class Kv, int key_dim, int value_dim, int tokens>
void start(const DecodeAttention& a, Stream stream) {
  const int group = a.q_heads / a.kv.kv_heads;
  const LaunchShape shape{.grid_x = static_cast<unsigned>(a.splits),
                          .grid_y = static_cast<unsigned>(a.kv.kv_heads * ((group + rows - 1) / rows)),
                          .grid_z = static_cast<unsigned>(a.sequences),
                          .threads = threads,
                          .shared_bytes = Layout<Number, Kv, key_dim, value_dim, tokens>::bytes};
  launch(decode_kernel<Number, Kv, key_dim, value_dim, tokens>, shape, stream, a);
  if (a.splits > 1)
    launch(reduce_kernel<Number, value_dim>,
           {.grid_x = static_cast<unsigned>(a.sequences * a.q_heads), .threads = threads}, stream, a);
}

template <class Number, class Kv>
bool start_head(const DecodeAttention& a, int head_dim, Stream stream) {
  if (head_dim == 64)
    start<Number, Kv, 64, 64, 64>(a, stream);
  else if (head_dim == 128)
    start<Number, Kv, 128, 128, 64>(a, stream);
  else if (head_dim == 256)
    start<Number, Kv, 256, 256, 32>(a, stream);
  else
    return false;
  return true;
}

/// One pair of numbers a file: nvcc takes its time.
bool fp16(const DecodeAttention& a, int head_dim, Stream stream);
bool bf16(const DecodeAttention& a, int head_dim, Stream stream);
bool fp16_of_fp8(const DecodeAttention& a, int head_dim, Stream stream);
bool bf16_of_fp8(const DecodeAttention& a, int head_dim, Stream stream);

}  // namespace servecast::decode
