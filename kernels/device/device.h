#pragma once
/// What kernels ask of a GPU, behind one set of names, so that one kernel text serves nvcc and, for tests, a C++
/// compiler:
///
///   launch(kernel, {.grid_x, .grid_y, .grid_z, .threads, .shared_bytes}, stream, arguments)
///   threadIdx, blockIdx, gridDim, block_barrier(), dynamic_shared(), shared_address()
///   exp2_fast(), subtract_pair(), multiply_pair(), SERVECAST_UNROLL
///
/// All 32 lanes take part in what a warp does together:
///
///   shuffle(), shuffle_xor(), atomic_add()
///   copy_async_16(), copy_async_commit(), copy_async_wait<groups left>()
///   load_matrix<1, 2 or 4>(), load_matrix_transposed<...>(): ldmatrix
///   multiply_add(): mma.sync m16n8k16 of Half and Bf16, m16n8k32 of int8 and Fp8
///
/// Four warps, a group, take part in its matrix instructions, of which every warp has 16 of 64 rows. Only where
/// has_group_products(); kernels that use them stand between #if SERVECAST_GROUP_PRODUCTS. Operands:
/// kernels/device/swizzled.h.
///
///   fence_async_proxy(): what this thread wrote to shared memory is for such instructions to read
///   group_fence(), group_commit(), group_wait<groups left>(): until then the sums belong to the instruction
///   multiply_group<Number, columns>(sums, a, b, add): wgmma m64n64, n128 or n256, k of 32 bytes; the sums are those
///   of a row of multiply_add()'s, one for every 8 columns. Of Half and Bf16 `a` may be a FragmentA; b then lies
///   across k
///
/// On such GPUs one thread may also copy boxes of a matrix's rows into panels; a barrier in shared memory counts what
/// has come. The first phase of a barrier has parity 0, the next 1, and so on.
///
///   make_box_map(map, rows): on the host; a kernel takes its arguments as `const __grid_constant__`
///   barrier_init(barrier), barriers_ready()           by one thread, before a block_barrier()
///   barrier_expect(barrier, bytes), copy_box(to, map, byte of the row, row, barrier)
///   barrier_wait(barrier, parity)                     by threads that read what was copied
#include "kernels/device/numbers.h"
#include "kernels/device/stream.h"

namespace servecast {

/// Threads are a multiple of 32 in x.
struct LaunchShape {
  unsigned grid_x = 1;
  unsigned grid_y = 1;
  unsigned grid_z = 1;
  unsigned threads = 32;
  unsigned shared_bytes = 0;
};

/// A matrix whose rows are copied by boxes of 128 bytes and `box_rows` rows, up to 256. Beyond it are zeros.
inline constexpr int box_row_bytes = 128;
struct BoxedRows {
  const void* data = nullptr;  // aligned to 16 bytes
  std::int64_t rows = 0;
  std::int64_t row_bytes = 0;  // a multiple of 16
  int box_rows = 0;
};
using CopyBarrier = std::uint64_t;

/// Registers of a lane in mma.sync (PTX ISA, "Matrix fragments for mma.m16n8k16" and "... m16n8k32").
struct FragmentA {
  std::uint32_t r[4];
};
struct FragmentB {
  std::uint32_t r[2];
};
template <class Sum>
struct FragmentC {
  Sum r[4];
};

}  // namespace servecast

#ifdef __CUDACC__
#include "kernels/device/device_cuda.h"
#else
#include "kernels/device/emulation.h"
#endif
