#pragma once
/// Copies in boxes by the tensor memory accelerator (TMA; PTX ISA, "cp.async.bulk.tensor" and "mbarrier") on a GPU.
/// Included by kernels/device/device_cuda.h only.
#include <cuda.h>
#include <cudaTypedefs.h>

#include "kernels/device/device_cuda_group.h"

namespace servecast {

using BoxMap = CUtensorMap;

/// False where the driver has no such thing or refuses it. The driver's function is asked for, so that nothing links
/// with the driver.
inline bool make_box_map(BoxMap& map, const BoxedRows& matrix) {
  void* function = nullptr;
  cudaDriverEntryPointQueryResult found{};
  constexpr unsigned first_with_tensor_maps = 12000;
  if (cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &function, first_with_tensor_maps, cudaEnableDefault,
                                       &found) != cudaSuccess ||
      found != cudaDriverEntryPointSuccess)
    return false;
  const cuuint64_t sizes[]{static_cast<cuuint64_t>(matrix.row_bytes), static_cast<cuuint64_t>(matrix.rows)};
  const cuuint64_t row_stride = sizes[0];
  const cuuint32_t box[]{box_row_bytes, static_cast<cuuint32_t>(matrix.box_rows)};
  const cuuint32_t steps[]{1, 1};
  return reinterpret_cast<PFN_cuTensorMapEncodeTiled_v12000>(function)(
             &map, CU_TENSOR_MAP_DATA_TYPE_UINT8, 2, const_cast<void*>(matrix.data), sizes, &row_stride, box, steps,
             CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B, CU_TENSOR_MAP_L2_PROMOTION_L2_256B,
             CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

__device__ inline void barrier_init(CopyBarrier* barrier) {
  SERVECAST_HOPPER(asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" ::"r"(shared_address(barrier)) : "memory"));
}
__device__ inline void barriers_ready() {
  SERVECAST_HOPPER(asm volatile("fence.mbarrier_init.release.cluster;" ::: "memory"));
  fence_async_proxy();
}
__device__ inline void barrier_expect(CopyBarrier* barrier, int bytes) {
  SERVECAST_HOPPER(
      asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;" ::"r"(shared_address(barrier)), "r"(bytes)
                   : "memory"));
}
__device__ inline void barrier_wait(CopyBarrier* barrier, int parity) {
  unsigned done = 0;
  while (done == 0)
    SERVECAST_HOPPER(
        asm volatile("{ .reg .pred p; mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2; selp.u32 %0, 1, 0, p; }"
                     : "=r"(done)
                     : "r"(shared_address(barrier)), "r"(parity)
                     : "memory"));
}
__device__ inline void copy_box(void* to, const BoxMap& map, int column, int row, CopyBarrier* barrier) {
  SERVECAST_HOPPER(asm volatile(
      "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];" ::"r"(
          shared_address(to)),
      "l"(&map), "r"(column), "r"(row), "r"(shared_address(barrier))
      : "memory"));
}

}  // namespace servecast
