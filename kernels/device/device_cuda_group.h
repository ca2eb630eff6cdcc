#pragma once
#include <cstdint>
#include <type_traits>
/// Matrix instructions of a warp group (wgmma, PTX ISA "Asynchronous warpgroup level matrix instructions") on a GPU.
/// Included by kernels/device/device_cuda.h only.

namespace servecast {

/// True where the GPU that launches go to has them: Hopper, compute capability 9.0.
inline bool has_group_products() {
  int device = 0;
  int major = 0;
  cudaGetDevice(&device);
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  return major == 9;
}

// The instructions exist in machine code for sm_90a alone; kernels that use them are empty elsewhere.
#ifdef __CUDA_ARCH_FEAT_SM90_ALL
#define SERVECAST_GROUP_PRODUCTS 1
#define SERVECAST_HOPPER(...) __VA_ARGS__
#else
#define SERVECAST_GROUP_PRODUCTS 0
#define SERVECAST_HOPPER(...) __trap()
#endif

__device__ inline void fence_async_proxy() {
  SERVECAST_HOPPER(asm volatile("fence.proxy.async.shared::cta;" ::: "memory"));
}
__device__ inline void group_fence() { SERVECAST_HOPPER(asm volatile("wgmma.fence.sync.aligned;" ::: "memory")); }
__device__ inline void group_commit() {
  SERVECAST_HOPPER(asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory"));
}
template <int groups_left>
__device__ void group_wait() {
  SERVECAST_HOPPER(asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(groups_left) : "memory"));
}

// clang-format off
#define SERVECAST_NAMES_64 \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31"
#define SERVECAST_NAMES_128 \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63"
#define SERVECAST_NAMES_256 \
  "%0,%1,%2,%3,%4,%5,%6,%7,%8,%9,%10,%11,%12,%13,%14,%15," \
  "%16,%17,%18,%19,%20,%21,%22,%23,%24,%25,%26,%27,%28,%29,%30,%31," \
  "%32,%33,%34,%35,%36,%37,%38,%39,%40,%41,%42,%43,%44,%45,%46,%47," \
  "%48,%49,%50,%51,%52,%53,%54,%55,%56,%57,%58,%59,%60,%61,%62,%63," \
  "%64,%65,%66,%67,%68,%69,%70,%71,%72,%73,%74,%75,%76,%77,%78,%79," \
  "%80,%81,%82,%83,%84,%85,%86,%87,%88,%89,%90,%91,%92,%93,%94,%95," \
  "%96,%97,%98,%99,%100,%101,%102,%103,%104,%105,%106,%107,%108,%109,%110,%111," \
  "%112,%113,%114,%115,%116,%117,%118,%119,%120,%121,%122,%123,%124,%125,%126,%127"
#define SERVECAST_SUM(letter, j) letter(c[j].r[0]), letter(c[j].r[1]), letter(c[j].r[2]), letter(c[j].r[3])
#define SERVECAST_SUMS_64(letter, j) \
  SERVECAST_SUM(letter, j), SERVECAST_SUM(letter, j + 1), SERVECAST_SUM(letter, j + 2), SERVECAST_SUM(letter, j + 3), \
  SERVECAST_SUM(letter, j + 4), SERVECAST_SUM(letter, j + 5), SERVECAST_SUM(letter, j + 6), SERVECAST_SUM(letter, j + 7)
#define SERVECAST_SUMS_128(letter, j) SERVECAST_SUMS_64(letter, j), SERVECAST_SUMS_64(letter, j + 8)
#define SERVECAST_SUMS_256(letter, j) SERVECAST_SUMS_128(letter, j), SERVECAST_SUMS_128(letter, j + 16)
// clang-format on

/// Both operands in shared memory; `p0` to `p2` name what follows the sums; `tail`: the instruction's constants.
#define SERVECAST_BOTH_SHARED(columns, depth_and_types, tail, letter, p0, p1, p2)                               \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " p2                                                             \
               ", 0; wgmma.mma_async.sync.aligned.m64n" #columns depth_and_types " {" SERVECAST_NAMES_##columns \
               "}, " p0 ", " p1 ", p" tail "; }"                                                                \
               : SERVECAST_SUMS_##columns(letter, 0)                                                            \
               : "l"(a), "l"(b), "r"(static_cast<int>(add)))
#define SERVECAST_ANY_COLUMNS(depth_and_types, tail, letter)                                          \
  if constexpr (columns == 64)                                                                        \
    SERVECAST_HOPPER(SERVECAST_BOTH_SHARED(64, depth_and_types, tail, letter, "%32", "%33", "%34"));  \
  else if constexpr (columns == 128)                                                                  \
    SERVECAST_HOPPER(SERVECAST_BOTH_SHARED(128, depth_and_types, tail, letter, "%64", "%65", "%66")); \
  else                                                                                                \
    SERVECAST_HOPPER(SERVECAST_BOTH_SHARED(256, depth_and_types, tail, letter, "%128", "%129", "%130"))

template <class Number, int columns, class Sum>
__device__ void multiply_group(FragmentC<Sum> (&c)[columns / 8], std::uint64_t a, std::uint64_t b, bool add) {
  static_assert(columns == 64 || columns == 128 || columns == 256);
  if constexpr (std::is_same_v<Number, Half>) {
    SERVECAST_ANY_COLUMNS("k16.f32.f16.f16", ", 1, 1, 0, 0", "+f");
  } else if constexpr (std::is_same_v<Number, Bf16>) {
    SERVECAST_ANY_COLUMNS("k16.f32.bf16.bf16", ", 1, 1, 0, 0", "+f");
  } else if constexpr (std::is_same_v<Number, Fp8>) {
    SERVECAST_ANY_COLUMNS("k32.f32.e4m3.e4m3", ", 1, 1", "+f");
  } else {
    SERVECAST_ANY_COLUMNS("k32.s32.s8.s8", "", "+r");
  }
}
#undef SERVECAST_ANY_COLUMNS
#undef SERVECAST_BOTH_SHARED

/// The left operand in registers, the right one across k.
#define SERVECAST_LEFT_HELD(columns, depth_and_types, p0, p1, p2, p3, p4, p5)                                   \
  asm volatile("{ .reg .pred p; setp.ne.b32 p, " p5                                                             \
               ", 0; wgmma.mma_async.sync.aligned.m64n" #columns depth_and_types " {" SERVECAST_NAMES_##columns \
               "}, {" p0 "," p1 "," p2 "," p3 "}, " p4 ", p, 1, 1, 1; }"                                        \
               : SERVECAST_SUMS_##columns("+f", 0)                                                              \
               : "r"(a.r[0]), "r"(a.r[1]), "r"(a.r[2]), "r"(a.r[3]), "l"(b), "r"(static_cast<int>(add)))
#define SERVECAST_ANY_COLUMNS(depth_and_types)                                                             \
  if constexpr (columns == 64)                                                                             \
    SERVECAST_HOPPER(SERVECAST_LEFT_HELD(64, depth_and_types, "%32", "%33", "%34", "%35", "%36", "%37"));  \
  else if constexpr (columns == 128)                                                                       \
    SERVECAST_HOPPER(SERVECAST_LEFT_HELD(128, depth_and_types, "%64", "%65", "%66", "%67", "%68", "%69")); \
  else                                                                                                     \
    SERVECAST_HOPPER(SERVECAST_LEFT_HELD(256, depth_and_types, "%128", "%129", "%130", "%131", "%132", "%133"))

template <class Number, int columns>
__device__ void multiply_group(FragmentC<float> (&c)[columns / 8], const FragmentA& a, std::uint64_t b, bool add) {
  static_assert(columns == 64 || columns == 128 || columns == 256);
  if constexpr (std::is_same_v<Number, Half>) {
    SERVECAST_ANY_COLUMNS("k16.f32.f16.f16");
  } else {
    static_assert(std::is_same_v<Number, Bf16>);
    SERVECAST_ANY_COLUMNS("k16.f32.bf16.bf16");
  }
}
#undef SERVECAST_ANY_COLUMNS
#undef SERVECAST_LEFT_HELD
#undef SERVECAST_SUMS_256
#undef SERVECAST_SUMS_128
#undef SERVECAST_SUMS_64
#undef SERVECAST_SUM
#undef SERVECAST_NAMES_256
#undef SERVECAST_NAMES_128
#undef SERVECAST_NAMES_64

}  // namespace servecast
