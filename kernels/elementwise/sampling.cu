#include "kernels/device/warp.h"
#include "kernels/elementwise/elementwise.h"

namespace servecast {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_lanes;

/// A logit and where it stands. Larger logits come first, and of equal ones the first.
struct Candidate {
  float logit;
  int index;
};
__device__ bool before(const Candidate& a, const Candidate& b) {
  return a.logit > b.logit || (a.logit == b.logit && a.index < b.index);
}

__device__ Candidate first_of_lanes(Candidate best) {
  SERVECAST_UNROLL
  for (int mask = warp_lanes / 2; mask > 0; mask /= 2) {
    const Candidate other{shuffle_xor(best.logit, mask), shuffle_xor(best.index, mask)};
    if (before(other, best)) best = other;
  }
  return best;
}

/// The first one behind `last`, for all threads.
__device__ Candidate next_of_row(const float* logits, int size, const Candidate& last, Candidate* scratch) {
  Candidate best{-INFINITY, size};
  for (int i = static_cast<int>(threadIdx.x); i < size; i += threads) {
    const Candidate here{logits[i], i};
    if (before(last, here) && before(here, best)) best = here;
  }
  best = first_of_lanes(best);
  if (threadIdx.x % warp_lanes == 0) scratch[threadIdx.x / warp_lanes] = best;
  block_barrier();
  for (int warp = 0; warp < warps; ++warp)
    if (before(scratch[warp], best)) best = scratch[warp];
  block_barrier();  // the next search writes there
  return best;
}

/// A block a row; as many passes over it as candidates. Beyond the first they come from the cache.
__global__ void __launch_bounds__(threads) sample_kernel(TokenSampling a) {
  auto* scratch = reinterpret_cast<Candidate*>(dynamic_shared());
  const float* logits = a.logits + static_cast<std::int64_t>(blockIdx.x) * a.size;
  const int count = a.top_k < a.size ? a.top_k : a.size;
  Candidate candidates[largest_top_k];
  Candidate last{INFINITY, -1};
  float weight = 0;
  for (int i = 0; i < count; ++i) {
    last = next_of_row(logits, a.size, last, scratch);
    candidates[i] = last;
    weight += exp2_fast((last.logit - candidates[0].logit) / a.temperature * log2_of_e);
  }
  if (threadIdx.x != 0) return;
  float left = count > 1 ? a.draws[blockIdx.x] * weight : 0;
  int chosen = 0;
  for (; chosen < count - 1; ++chosen) {
    left -= exp2_fast((candidates[chosen].logit - candidates[0].logit) / a.temperature * log2_of_e);
    if (left < 0) break;
  }
  a.tokens[blockIdx.x] = candidates[count > 1 ? chosen : 0].index;
}

}  // namespace

void sample_tokens(const TokenSampling& a, Stream stream) {
  const LaunchShape shape{
      .grid_x = static_cast<unsigned>(a.rows), .threads = threads, .shared_bytes = warps * sizeof(Candidate)};
  launch(sample_kernel, shape, stream, a);
}

}  // namespace servecast
