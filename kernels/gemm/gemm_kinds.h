#pragma once
/// What the kinds of products differ in. For .cu files.
#include <type_traits>

#include "kernels/device/warp.h"

namespace servecast::gemms {

inline constexpr int window = 32;  // of k: a lane has 8 of them, 8 t to 8 t + 7 with t = lane % 4, of either operand
inline constexpr int group_k = 128;

/// The part of a window that a lane has of one row: 4 registers of numbers of 16 bits, 2 of 8.
template <class Number>
struct Part {
  std::uint32_t r[sizeof(Number) * 2];
};

template <class Number>
__device__ Part<Number> part_at(const unsigned char* at) {
  struct alignas(sizeof(Part<Number>)) Aligned {
    Part<Number> part;
  };
  return reinterpret_cast<const Aligned*>(at)->part;
}

/// In which order k is summed does not matter, as long as it is the same for both operands: so a lane takes 8
/// neighbours with one load, not the pairs far apart that the matrix instruction's layout names.
template <class Number, class Sum>
__device__ void add_window(FragmentC<Sum>& sum, const Part<Number>& top, const Part<Number>& bottom,
                           const Part<Number>& b) {
  constexpr int steps = static_cast<int>(sizeof(Number));
  SERVECAST_UNROLL
  for (int i = 0; i < steps; ++i)
    multiply_add<Number>(sum, FragmentA{{top.r[i * 2], bottom.r[i * 2], top.r[i * 2 + 1], bottom.r[i * 2 + 1]}},
                         FragmentB{{b.r[i * 2], b.r[i * 2 + 1]}});
}

/// Both operands as they are.
template <class Output, class Operand, class SumOf>
struct Same {
  using Number = Output;
  using A = Operand;
  using Sum = SumOf;
  static constexpr int weight_bits = sizeof(Operand) * 8;
  static constexpr bool scaled_columns = sizeof(Operand) == 1;
  static constexpr bool scaled_rows = scaled_columns;
  static __device__ Part<A> weights(const unsigned char* at, std::uint32_t) { return part_at<A>(at); }
};

/// A byte b as a float: 2^23 + b has b in its lowest bits.
__device__ inline float float_of_byte(std::uint32_t word, int i) {
  const std::uint32_t moved = ((word ^ 0x80808080U) >> (i * 8)) & 0xffU;  // plus 128: without sign
  return std::bit_cast<float>(0x4b000000U | moved) - 8388736.0F;
}

template <class Output>
struct Int8Weights {
  using Number = Output;
  using A = Output;
  using Sum = float;
  static constexpr int weight_bits = 8;
  static constexpr bool scaled_columns = true;
  static constexpr bool scaled_rows = false;
  static __device__ Part<A> weights(const unsigned char* at, std::uint32_t) {
    const Part<std::int8_t> words = part_at<std::int8_t>(at);
    Part<A> part;
    SERVECAST_UNROLL
    for (int i = 0; i < 4; ++i)
      part.r[i] =
          packed<Output>(float_of_byte(words.r[i / 2], i % 2 * 2), float_of_byte(words.r[i / 2], i % 2 * 2 + 1));
    return part;
  }
};

template <class Output>
struct Int4Weights {
  using Number = Output;
  using A = Output;
  using Sum = float;
  static constexpr int weight_bits = 4;
  static constexpr bool scaled_columns = false;
  static constexpr bool scaled_rows = false;
  /// `scale`: of the column's group, twice in one register. A number whose lowest bits count units plus 4 bits is
  /// that power of two plus a weight, so the difference from 8 more is exact, and is then rounded once, by the scale.
  static __device__ Part<A> weights(const unsigned char* at, std::uint32_t scale) {
    constexpr std::uint32_t power = std::is_same_v<Output, Half> ? 0x64006400U : 0x43004300U;  // 1024; 128
    const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(at);
    Part<A> part;
    SERVECAST_UNROLL
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t pair = ((word >> (i * 4)) & 0x000f000fU) | power;
      part.r[i] = multiply_pair<Output>(subtract_pair<Output>(pair, power | 0x00080008U), scale);
    }
    return part;
  }
};

}  // namespace servecast::gemms
