#include "kernels/device/warp.h"
#include "kernels/elementwise/decoder_glue.h"

namespace servecast {
namespace {

constexpr int threads = 256;

template <class Number>
struct Splitter {
  static constexpr int wide = per_vector<Number>;
  using Vector = Numbers16<Number>;

  const QkvSplit& a;
  std::int64_t token = blockIdx.x;
  int vectors = a.head_dim / wide;  // of a head
  int position = a.positions[token];

  __device__ const Vector* qkv(int head) const {
    return static_cast<const Vector*>(a.qkv) + (token * (a.q_heads + 2 * a.kv.kv_heads) + head) * vectors;
  }
  /// Where the token's part of a KV head lies.
  __device__ Vector* cached(const void* pool, int kv_head) const {
    const int in_table = a.rows[token] * a.kv.blocks_per_sequence + position / a.kv.block_tokens;
    const std::int64_t block = a.kv.block_table[in_table];
    const std::int64_t row = (block * a.kv.kv_heads + kv_head) * a.kv.block_tokens + position % a.kv.block_tokens;
    return static_cast<Vector*>(const_cast<void*>(pool)) + row * vectors;
  }
  __device__ Vector* target(int head) const {
    if (head >= a.q_heads) return cached(a.kv.keys, head - a.q_heads);
    return static_cast<Vector*>(a.queries) + (token * a.q_heads + head) * vectors;
  }

  __device__ void turn(int head, int at) const {
    const float* cosines = a.cos_sin + static_cast<std::int64_t>(position) * a.head_dim;
    const float* sines = cosines + a.head_dim / 2;
    Vector first = qkv(head)[at];
    Vector second = qkv(head)[at + vectors / 2];
    servecast::turn(first, second, cosines + at * wide, sines + at * wide);
    target(head)[at] = first;
    target(head)[at + vectors / 2] = second;
  }

  __device__ void run() const {
    const int turned = a.q_heads + a.kv.kv_heads;
    const int pairs = vectors / 2;
    for (int i = static_cast<int>(threadIdx.x); i < turned * pairs; i += threads) turn(i / pairs, i % pairs);
    for (int i = static_cast<int>(threadIdx.x); i < a.kv.kv_heads * vectors; i += threads)
      cached(a.kv.values, i / vectors)[i % vectors] = qkv(turned + i / vectors)[i % vectors];
  }
};

/// A block a token; a thread takes 8 numbers of each half of a head.
template <class Number>
__global__ void __launch_bounds__(threads) split_qkv_kernel(QkvSplit a) {
  Splitter<Number>{a}.run();
}

template <class Number>
__global__ void __launch_bounds__(threads) widen_kernel(Widen a) {
  constexpr int wide = per_vector<Number>;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= a.count / wide) return;
  const auto numbers = static_cast<const Numbers16<Number>*>(a.from)[i];
  SERVECAST_UNROLL
  for (int j = 0; j < wide; ++j) a.to[i * wide + j] = to_float(numbers.n[j]);
}

}  // namespace

void split_qkv(const QkvSplit& a, bool bf16, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>(a.tokens), .threads = threads};
  launch(bf16 ? split_qkv_kernel<Bf16> : split_qkv_kernel<Half>, shape, stream, a);
}

void widen(const Widen& a, bool bf16, Stream stream) {
  const std::int64_t vectors = a.count / per_vector<Half>;
  const LaunchShape shape{.grid_x = static_cast<unsigned>((vectors + threads - 1) / threads), .threads = threads};
  launch(bf16 ? widen_kernel<Bf16> : widen_kernel<Half>, shape, stream, a);
}

}  // namespace servecast
