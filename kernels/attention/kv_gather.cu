#include "kernels/attention/kv_gather.h"
#include "kernels/device/warp.h"

namespace servecast {
namespace {

constexpr int threads = 256;
constexpr int loads = 4;  // under way at once, per thread

template <bool scatter>
__global__ void __launch_bounds__(threads) gather_kernel(KvGather a) {
  const std::int64_t vectors = a.block_bytes / 16;
  const std::int64_t side_by_side = static_cast<std::int64_t>(blockIdx.y) * vectors;
  const std::int64_t scattered = static_cast<std::int64_t>(a.blocks[blockIdx.y]) * vectors;
  const auto* from = static_cast<const Vector16*>(a.from) + (scatter ? side_by_side : scattered);
  auto* to = static_cast<Vector16*>(a.to) + (scatter ? scattered : side_by_side);
  const std::int64_t first = static_cast<std::int64_t>(blockIdx.x) * threads * loads + threadIdx.x;
  Vector16 held[loads];
  SERVECAST_UNROLL
  for (int i = 0; i < loads; ++i)
    if (first + i * threads < vectors) held[i] = from[first + i * threads];
  SERVECAST_UNROLL
  for (int i = 0; i < loads; ++i)
    if (first + i * threads < vectors) to[first + i * threads] = held[i];
}

LaunchShape shape_of(const KvGather& a) {
  const std::int64_t bytes = 16 * threads * loads;
  return {.grid_x = static_cast<unsigned>((a.block_bytes + bytes - 1) / bytes),
          .grid_y = static_cast<unsigned>(a.count),
          .threads = threads};
}

}  // namespace

void gather_blocks(const KvGather& a, Stream stream) { launch(gather_kernel<false>, shape_of(a), stream, a); }
void scatter_blocks(const KvGather& a, Stream stream) { launch(gather_kernel<true>, shape_of(a), stream, a); }

}  // namespace servecast
