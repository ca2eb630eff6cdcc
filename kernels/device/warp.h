#pragma once
#include "kernels/device/device.h"

namespace servecast {

inline constexpr int warp_lanes = 32;
inline constexpr float log2_of_e = 1.4426950408889634F;
/// Stands for "no score yet". Finite, so that the difference of two is 0 and not NaN.
inline constexpr float no_score = -1e30F;

/// What `lanes` neighbouring lanes, a power of two, have together; each of them gets it.
template <int lanes = warp_lanes>
__device__ float sum_over_lanes(float value) {
  SERVECAST_UNROLL
  for (int mask = lanes / 2; mask > 0; mask /= 2) value += shuffle_xor(value, mask);
  return value;
}
template <int lanes = warp_lanes>
__device__ float max_over_lanes(float value) {
  SERVECAST_UNROLL
  for (int mask = lanes / 2; mask > 0; mask /= 2) value = fmaxf(value, shuffle_xor(value, mask));
  return value;
}

/// Sum over the block; `scratch` holds one float per warp. All threads call it, and all get it.
__device__ inline float sum_over_block(float value, int threads, float* scratch) {
  value = sum_over_lanes(value);
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  if (lane == 0) scratch[threadIdx.x / warp_lanes] = value;
  block_barrier();
  float sum = 0;
  for (int warp = 0; warp < threads / warp_lanes; ++warp) sum += scratch[warp];
  block_barrier();  // the next sum writes there
  return sum;
}

/// 16 bytes that are read and written at once.
struct alignas(16) Vector16 {
  std::uint32_t words[4];
};
template <class Number>
inline constexpr int per_vector = 16 / static_cast<int>(sizeof(Number));

template <class Number>
struct alignas(16) Numbers16 {
  Number n[per_vector<Number>];
};

/// Rotary embedding of the numbers of a head's first half and of those half a head behind them.
template <class Number>
__device__ void turn(Numbers16<Number>& first, Numbers16<Number>& second, const float* cosines, const float* sines) {
  SERVECAST_UNROLL
  for (int j = 0; j < per_vector<Number>; ++j) {
    const float x = to_float(first.n[j]);
    const float y = to_float(second.n[j]);
    first.n[j] = from_float<Number>(x * cosines[j] - y * sines[j]);
    second.n[j] = from_float<Number>(y * cosines[j] + x * sines[j]);
  }
}

}  // namespace servecast
