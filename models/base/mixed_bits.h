#pragma once
#include <cstdint>

namespace servecast {

/// The finaliser of splitmix64 (Steele, Lea and Flood 2014): each input bit changes half of the output bits.
constexpr std::uint64_t mixed_bits(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

}  // namespace servecast
