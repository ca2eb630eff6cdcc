#pragma once
/// kernels/device/device.h on a GPU. Included by it only.
#include <cuda_runtime.h>

#include <type_traits>

#include "kernels/device/device.h"

#define SERVECAST_UNROLL _Pragma("unroll")

namespace servecast {

template <class Arguments>
void launch(void (*kernel)(Arguments), const LaunchShape& shape, Stream stream, const Arguments& arguments) {
  constexpr unsigned without_asking = 48 * 1024;
  if (shape.shared_bytes > without_asking)
    cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(shape.shared_bytes));
  kernel<<<dim3(shape.grid_x, shape.grid_y, shape.grid_z), shape.threads, shape.shared_bytes, stream>>>(arguments);
}

__device__ inline unsigned char* dynamic_shared() {
  extern __shared__ __align__(1024) unsigned char servecast_shared[];
  return servecast_shared;
}

__device__ inline void block_barrier() { __syncthreads(); }

template <class Value>
__device__ Value shuffle(Value value, int lane) {
  return __shfl_sync(0xffffffffU, value, lane);
}
template <class Value>
__device__ Value shuffle_xor(Value value, int mask) {
  return __shfl_xor_sync(0xffffffffU, value, mask);
}
__device__ inline int atomic_add(int* address, int value) { return atomicAdd(address, value); }

/// exp2 in one instruction, error of 2 units in the last place.
__device__ inline float exp2_fast(float x) {
  float y;
  asm("ex2.approx.ftz.f32 %0, %1;" : "=f"(y) : "f"(x));
  return y;
}

/// Of two pairs of numbers of 16 bits, each in one register.
template <class Number>
__device__ std::uint32_t subtract_pair(std::uint32_t a, std::uint32_t b);
template <class Number>
__device__ std::uint32_t multiply_pair(std::uint32_t a, std::uint32_t b);
#define SERVECAST_PAIR(function, Number, pair, operation)                                              \
  template <>                                                                                          \
  __device__ inline std::uint32_t function<Number>(std::uint32_t a, std::uint32_t b) {                 \
    const pair result = operation(reinterpret_cast<const pair&>(a), reinterpret_cast<const pair&>(b)); \
    return reinterpret_cast<const std::uint32_t&>(result);                                             \
  }
SERVECAST_PAIR(subtract_pair, Half, __half2, __hsub2)
SERVECAST_PAIR(multiply_pair, Half, __half2, __hmul2)
SERVECAST_PAIR(subtract_pair, Bf16, __nv_bfloat162, __hsub2)
SERVECAST_PAIR(multiply_pair, Bf16, __nv_bfloat162, __hmul2)
#undef SERVECAST_PAIR

__device__ inline unsigned shared_address(const void* pointer) {
  return static_cast<unsigned>(__cvta_generic_to_shared(pointer));
}

/// 16 bytes from global to shared memory, past the registers; zeros where not `valid`.
__device__ inline void copy_async_16(void* to, const void* from, bool valid) {
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(shared_address(to)), "l"(from),
               "r"(valid ? 16 : 0)
               : "memory");
}
__device__ inline void copy_async_commit() { asm volatile("cp.async.commit_group;" ::: "memory"); }
template <int groups_left>
__device__ void copy_async_wait() {
  asm volatile("cp.async.wait_group %0;" ::"n"(groups_left) : "memory");
}

template <int matrices>
__device__ void load_matrix(std::uint32_t* r, const void* row) {
  if constexpr (matrices == 4)
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(shared_address(row))
                 : "memory");
  else
    asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];"
                 : "=r"(r[0]), "=r"(r[1])
                 : "r"(shared_address(row))
                 : "memory");
}
template <int matrices>
__device__ void load_matrix_transposed(std::uint32_t* r, const void* row) {
  static_assert(matrices == 2);
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0,%1}, [%2];"
               : "=r"(r[0]), "=r"(r[1])
               : "r"(shared_address(row))
               : "memory");
}

#define SERVECAST_MMA(shape_and_types, sum_letter)                                                              \
  asm volatile("mma.sync.aligned." shape_and_types " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"     \
               : "+" sum_letter(c.r[0]), "+" sum_letter(c.r[1]), "+" sum_letter(c.r[2]), "+" sum_letter(c.r[3]) \
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "r"(b.r[0]), "r"(b.r[1]))

/// c += a b
template <class Number>
__device__ void multiply_add(FragmentC<float>& c, const FragmentA& a, const FragmentB& b);
template <>
__device__ inline void multiply_add<Half>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
  SERVECAST_MMA("m16n8k16.row.col.f32.f16.f16.f32", "f");
}
template <>
__device__ inline void multiply_add<Bf16>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
  SERVECAST_MMA("m16n8k16.row.col.f32.bf16.bf16.f32", "f");
}
template <>
__device__ inline void multiply_add<Fp8>(FragmentC<float>& c, const FragmentA& a, const FragmentB& b) {
#if __CUDA_ARCH__ >= 890
  SERVECAST_MMA("m16n8k32.row.col.f32.e4m3.e4m3.f32", "f");
#else
  __trap();  // Ampere has no matrix instruction for fp8
#endif
}
template <class Number>
__device__ void multiply_add(FragmentC<int>& c, const FragmentA& a, const FragmentB& b) {
  static_assert(sizeof(Number) == 1);
  SERVECAST_MMA("m16n8k32.row.col.s32.s8.s8.s32", "r");
}
#undef SERVECAST_MMA

}  // namespace servecast

#include "kernels/device/device_cuda_boxes.h"
#include "kernels/device/device_cuda_group.h"

#undef SERVECAST_HOPPER
