#pragma once
#include <bit>
#include <cmath>
#include <cstdint>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#define SERVECAST_BOTH __host__ __device__
#else
#define SERVECAST_BOTH
#endif

namespace servecast {

/// Numbers as they lie in memory. The same conversions serve host and device; a device has instructions for some.
struct Half {  // IEEE binary16
  std::uint16_t bits;
};
struct Bf16 {
  std::uint16_t bits;
};
struct Fp8 {  // e4m3: 4 bits of exponent (bias 7), 3 of fraction, no infinity, largest 448
  std::uint8_t bits;
};

namespace numbers {

/// `value` rounded to a multiple of `unit`, ties to even: adding and taking away 1.5 * 2^23 units does that in
/// binary32.
SERVECAST_BOTH inline float rounded_to(float value, float unit) {
  const float anchor = 12582912.0F * unit;
  volatile float sum = value + anchor;  // not to be simplified
  return sum - anchor;
}

SERVECAST_BOTH inline float half_to_float(std::uint32_t bits) {
  const std::uint32_t sign = (bits & 0x8000U) << 16;
  const std::uint32_t rest = bits & 0x7fffU;
  if (rest >= 0x7c00U) return std::bit_cast<float>(sign | 0x7f800000U | ((rest & 0x3ffU) << 13));
  // Exponent and fraction moved to where binary32 has them; the factor mends the bias, of subnormal numbers too.
  const float size = std::bit_cast<float>(rest << 13) * 0x1p112F;
  return std::bit_cast<float>(sign | std::bit_cast<std::uint32_t>(size));
}

SERVECAST_BOTH inline std::uint16_t half_from_float(float value) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (all >> 16) & 0x8000U;
  std::uint32_t rest = all & 0x7fffffffU;
  if (rest > 0x7f800000U) return static_cast<std::uint16_t>(sign | 0x7e00U);
  if (rest >= 0x477ff000U) return static_cast<std::uint16_t>(sign | 0x7c00U);  // 65520 and above round to infinity
  if (rest < 0x38800000U) {                                                    // below 2^-14: multiples of 2^-24
    const float units = rounded_to(std::bit_cast<float>(rest), 0x1p-24F) * 0x1p24F;
    return static_cast<std::uint16_t>(sign | static_cast<std::uint32_t>(units));
  }
  rest += 0xfffU + ((rest >> 13) & 1U);
  return static_cast<std::uint16_t>(sign | ((rest - 0x38000000U) >> 13));
}

SERVECAST_BOTH inline std::uint16_t bf16_from_float(float value) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  if ((all & 0x7fffffffU) > 0x7f800000U) return static_cast<std::uint16_t>((all >> 16) | 0x40U);
  return static_cast<std::uint16_t>((all + 0x7fffU + ((all >> 16) & 1U)) >> 16);
}

SERVECAST_BOTH inline float fp8_to_float(std::uint32_t bits) {
  if ((bits & 0x7fU) == 0x7fU) return std::bit_cast<float>(((bits & 0x80U) << 24) | 0x7fc00000U);
  // Moved to the places of binary16, whose bias is 8 more.
  return half_to_float(((bits & 0x80U) << 8) | ((bits & 0x7fU) << 7)) * 256.0F;
}

/// Saturates at 448, as CUDA's __NV_SATFINITE does.
SERVECAST_BOTH inline std::uint8_t fp8_from_float(float value) {
  const std::uint32_t all = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = (all >> 24) & 0x80U;
  const std::uint32_t rest = all & 0x7fffffffU;
  if (rest > 0x7f800000U) return static_cast<std::uint8_t>(sign | 0x7fU);
  if (rest >= 0x43e00000U) return static_cast<std::uint8_t>(sign | 0x7eU);
  if (rest < 0x3c800000U) {  // below 2^-6: multiples of 2^-9
    const float units = rounded_to(std::bit_cast<float>(rest), 0x1p-9F) * 512.0F;
    return static_cast<std::uint8_t>(sign | static_cast<std::uint32_t>(units));
  }
  const std::uint32_t near = rest + 0x7ffffU + ((rest >> 20) & 1U);
  return static_cast<std::uint8_t>(sign | ((near - 0x3c000000U) >> 20));
}

}  // namespace numbers

SERVECAST_BOTH inline float to_float(Half x) {
#ifdef __CUDA_ARCH__
  return __half2float(__ushort_as_half(x.bits));
#else
  return numbers::half_to_float(x.bits);
#endif
}
SERVECAST_BOTH inline float to_float(Bf16 x) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(x.bits) << 16);
}
SERVECAST_BOTH inline float to_float(Fp8 x) {
#ifdef __CUDA_ARCH__
  return __half2float(__half(__nv_cvt_fp8_to_halfraw(x.bits, __NV_E4M3)));
#else
  return numbers::fp8_to_float(x.bits);
#endif
}
SERVECAST_BOTH inline float to_float(std::int8_t x) { return static_cast<float>(x); }
SERVECAST_BOTH inline float to_float(float x) { return x; }

template <class Number>
SERVECAST_BOTH inline Number from_float(float value);
template <>
SERVECAST_BOTH inline Half from_float<Half>(float value) {
#ifdef __CUDA_ARCH__
  return {__half_as_ushort(__float2half_rn(value))};
#else
  return {numbers::half_from_float(value)};
#endif
}
template <>
SERVECAST_BOTH inline Bf16 from_float<Bf16>(float value) {
  return {numbers::bf16_from_float(value)};
}
template <>
SERVECAST_BOTH inline Fp8 from_float<Fp8>(float value) {
  return {numbers::fp8_from_float(value)};
}
template <>
SERVECAST_BOTH inline float from_float<float>(float value) {
  return value;
}

/// Two numbers of 16 bits in one register, the first in the low half.
template <class Number>
SERVECAST_BOTH inline std::uint32_t packed(float low, float high) {
  return static_cast<std::uint32_t>(from_float<Number>(low).bits) |
         (static_cast<std::uint32_t>(from_float<Number>(high).bits) << 16);
}

}  // namespace servecast
