#include "kernels/device/warp.h"
#include "kernels/elementwise/elementwise.h"

namespace servecast {
namespace {

constexpr int threads = 256;

template <class Number>
__device__ Numbers16<Number> load(const void* numbers, std::int64_t vector) {
  return static_cast<const Numbers16<Number>*>(numbers)[vector];
}
template <class Number>
__device__ void store(void* numbers, std::int64_t vector, const Numbers16<Number>& value) {
  static_cast<Numbers16<Number>*>(numbers)[vector] = value;
}

/// A block a row. What a thread has summed it reads once more, from the cache.
template <class Number>
__global__ void __launch_bounds__(threads) rms_norm_kernel(RmsNorm a) {
  constexpr int wide = per_vector<Number>;
  const int vectors = a.size / wide;
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * vectors;
  float squares = 0;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += threads) {
    auto x = load<Number>(a.x, row + i);
    if (a.residual != nullptr) {
      const auto residual = load<Number>(a.residual, row + i);
      SERVECAST_UNROLL
      for (int j = 0; j < wide; ++j) x.n[j] = from_float<Number>(to_float(x.n[j]) + to_float(residual.n[j]));
      store(a.residual, row + i, x);
    }
    SERVECAST_UNROLL
    for (int j = 0; j < wide; ++j) squares += to_float(x.n[j]) * to_float(x.n[j]);
  }
  squares = sum_over_block(squares, threads, reinterpret_cast<float*>(dynamic_shared()));
  const float factor = 1 / sqrtf(squares / static_cast<float>(a.size) + a.epsilon);
  const void* source = a.residual != nullptr ? a.residual : a.x;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += threads) {
    auto x = load<Number>(source, row + i);
    const auto weight = load<Number>(a.weight, i);
    SERVECAST_UNROLL
    for (int j = 0; j < wide; ++j) x.n[j] = from_float<Number>(to_float(x.n[j]) * factor * to_float(weight.n[j]));
    store(a.out, row + i, x);
  }
}

/// A block a token; a thread takes 8 numbers of each half of a head.
template <class Number>
__global__ void __launch_bounds__(threads) rope_kernel(Rope a) {
  constexpr int wide = per_vector<Number>;
  const int half_vectors = a.size / 2 / wide;
  const float* cosines = a.cos_sin + static_cast<std::int64_t>(a.positions[blockIdx.x]) * a.size;
  const float* sines = cosines + a.size / 2;
  for (int i = static_cast<int>(threadIdx.x); i < a.heads * half_vectors; i += threads) {
    const int at = i % half_vectors;
    const std::int64_t head = static_cast<std::int64_t>(blockIdx.x) * a.heads + i / half_vectors;
    const std::int64_t place = head * 2 * half_vectors + at;
    auto first = load<Number>(a.x, place);
    auto second = load<Number>(a.x, place + half_vectors);
    turn(first, second, cosines + at * wide, sines + at * wide);
    store(a.x, place, first);
    store(a.x, place + half_vectors, second);
  }
}

template <class Number>
__global__ void __launch_bounds__(threads) silu_mul_kernel(SiluMul a) {
  constexpr int wide = per_vector<Number>;
  const int vectors = a.size / wide;
  const std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * threads + threadIdx.x;
  if (i >= static_cast<std::int64_t>(a.rows) * vectors) return;
  const std::int64_t at = i / vectors * 2 * vectors + i % vectors;
  auto gate = load<Number>(a.x, at);
  const auto up = load<Number>(a.x, at + vectors);
  SERVECAST_UNROLL
  for (int j = 0; j < wide; ++j) {
    const float x = to_float(gate.n[j]);
    gate.n[j] = from_float<Number>(x / (1 + exp2_fast(-x * log2_of_e)) * to_float(up.n[j]));
  }
  store(a.out, i, gate);
}

}  // namespace

void rms_norm(const RmsNorm& a, bool bf16, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>(a.rows),
                          .threads = threads,
                          .shared_bytes = threads / warp_lanes * sizeof(float)};
  launch(bf16 ? rms_norm_kernel<Bf16> : rms_norm_kernel<Half>, shape, stream, a);
}

void rope(const Rope& a, bool bf16, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>(a.tokens), .threads = threads};
  launch(bf16 ? rope_kernel<Bf16> : rope_kernel<Half>, shape, stream, a);
}

void silu_mul(const SiluMul& a, bool bf16, Stream stream) {
  const std::int64_t vectors = static_cast<std::int64_t>(a.rows) * a.size / per_vector<Half>;
  const LaunchShape shape{.grid_x = static_cast<unsigned>((vectors + threads - 1) / threads), .threads = threads};
  launch(bf16 ? silu_mul_kernel<Bf16> : silu_mul_kernel<Half>, shape, stream, a);
}

}  // namespace servecast
