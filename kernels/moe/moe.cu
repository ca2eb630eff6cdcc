#include "kernels/device/warp.h"
#include "kernels/moe/moe.h"

namespace servecast {
namespace {

constexpr int threads = 256;
constexpr int warps = threads / warp_lanes;
constexpr int most_per_lane = most_experts / warp_lanes;

/// A warp a token; a lane has every 32nd expert.
__global__ void __launch_bounds__(threads) gate_kernel(Routing a) {
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int token = static_cast<int>(blockIdx.x) * warps + static_cast<int>(threadIdx.x) / warp_lanes;
  if (token >= a.tokens) return;  // the whole warp
  float logits[most_per_lane];
  SERVECAST_UNROLL
  for (int i = 0; i < most_per_lane; ++i) {
    const int expert = i * warp_lanes + lane;
    logits[i] = expert < a.experts ? a.logits[static_cast<std::int64_t>(token) * a.experts + expert] : -INFINITY;
  }
  float first = 0;
  float sum = 0;
  float own = 0;  // weight of the choice with this lane's number
  for (int choice = 0; choice < a.top_k; ++choice) {
    float best = -INFINITY;
    int expert = most_experts;
    SERVECAST_UNROLL
    for (int i = 0; i < most_per_lane; ++i)
      if (logits[i] > best) {
        best = logits[i];
        expert = i * warp_lanes + lane;
      }
    SERVECAST_UNROLL
    for (int mask = warp_lanes / 2; mask > 0; mask /= 2) {
      const float other = shuffle_xor(best, mask);
      const int other_expert = shuffle_xor(expert, mask);
      if (other > best || (other == best && other_expert < expert)) {
        best = other;
        expert = other_expert;
      }
    }
    SERVECAST_UNROLL
    for (int i = 0; i < most_per_lane; ++i)
      if (i * warp_lanes + lane == expert) logits[i] = -INFINITY;
    if (choice == 0) first = best;
    const float weight = exp2_fast((best - first) * log2_of_e);
    sum += weight;
    if (lane == choice) own = weight;
    if (lane == 0) a.chosen[token * a.top_k + choice] = expert;
  }
  if (lane < a.top_k) a.weights[token * a.top_k + lane] = own / sum;
}

/// A block an expert counts the visits to experts before it, then goes through all once more and gives its own their
/// rows: no atomic operation, so the order is the same in every run.
__global__ void __launch_bounds__(threads) order_kernel(Routing a) {
  auto* scratch = reinterpret_cast<int*>(dynamic_shared());
  const int expert = static_cast<int>(blockIdx.x);
  const int lane = static_cast<int>(threadIdx.x) % warp_lanes;
  const int warp = static_cast<int>(threadIdx.x) / warp_lanes;
  const int visits = a.tokens * a.top_k;
  float before = 0;
  for (int i = static_cast<int>(threadIdx.x); i < visits; i += threads) before += a.chosen[i] < expert ? 1.0F : 0.0F;
  int next = static_cast<int>(sum_over_block(before, threads, reinterpret_cast<float*>(scratch)));
  if (threadIdx.x == 0) a.expert_rows[expert] = next;
  for (int begin = 0; begin < visits; begin += threads) {
    const int i = begin + static_cast<int>(threadIdx.x);
    const bool mine = i < visits && a.chosen[i] == expert;
    int up_to = mine ? 1 : 0;  // of the warp's lanes, this one included
    SERVECAST_UNROLL
    for (int step = 1; step < warp_lanes; step *= 2) {
      const int other = shuffle(up_to, lane >= step ? lane - step : lane);
      if (lane >= step) up_to += other;
    }
    if (lane == warp_lanes - 1) scratch[warp] = up_to;
    block_barrier();
    int row = next + up_to - 1;
    for (int w = 0; w < warps; ++w) {
      if (w < warp) row += scratch[w];
      next += scratch[w];
    }
    if (mine) a.row_of[i] = row;
    block_barrier();
  }
  if (threadIdx.x == 0 && expert == a.experts - 1) a.expert_rows[a.experts] = next;
}

/// A block a token.
__global__ void __launch_bounds__(threads) permute_kernel(ExpertRows a) {
  const int vectors = a.size / per_vector<Half>;
  const std::int64_t token = blockIdx.x;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += threads) {
    const Vector16 vector = static_cast<const Vector16*>(a.from)[token * vectors + i];
    for (int choice = 0; choice < a.top_k; ++choice) {
      const std::int64_t row = a.row_of[token * a.top_k + choice];
      static_cast<Vector16*>(a.to)[row * vectors + i] = vector;
    }
  }
}

template <class Number>
__global__ void __launch_bounds__(threads) combine_kernel(ExpertRows a) {
  constexpr int wide = per_vector<Number>;
  const int vectors = a.size / wide;
  const std::int64_t token = blockIdx.x;
  for (int i = static_cast<int>(threadIdx.x); i < vectors; i += threads) {
    float sums[wide] = {};
    for (int choice = 0; choice < a.top_k; ++choice) {
      const std::int64_t row = a.row_of[token * a.top_k + choice];
      const auto x = static_cast<const Numbers16<Number>*>(a.from)[row * vectors + i];
      const float weight = a.weights[token * a.top_k + choice];
      SERVECAST_UNROLL
      for (int j = 0; j < wide; ++j) sums[j] += weight * to_float(x.n[j]);
    }
    Numbers16<Number> out;
    SERVECAST_UNROLL
    for (int j = 0; j < wide; ++j) out.n[j] = from_float<Number>(sums[j]);
    static_cast<Numbers16<Number>*>(a.to)[token * vectors + i] = out;
  }
}

}  // namespace

void gate_experts(const Routing& a, Stream stream) {
  launch(gate_kernel, {.grid_x = static_cast<unsigned>((a.tokens + warps - 1) / warps), .threads = threads}, stream,
         a);
}

void order_by_expert(const Routing& a, Stream stream) {
  const LaunchShape shape{
      .grid_x = static_cast<unsigned>(a.experts), .threads = threads, .shared_bytes = warps * sizeof(int)};
  launch(order_kernel, shape, stream, a);
}

void permute_rows(const ExpertRows& a, Stream stream) {
  launch(permute_kernel, {.grid_x = static_cast<unsigned>(a.tokens), .threads = threads}, stream, a);
}

void combine_rows(const ExpertRows& a, bool bf16, Stream stream) {
  const LaunchShape shape{.grid_x = static_cast<unsigned>(a.tokens), .threads = threads};
  launch(bf16 ? combine_kernel<Bf16> : combine_kernel<Half>, shape, stream, a);
}

}  // namespace servecast
