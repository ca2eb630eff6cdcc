#pragma once
#include <algorithm>
#include <bit>
#include <cstdint>

namespace servecast {

/// Knots for tables over sizes from 1 up: 8 in each factor of two. Between two knots a table is a straight line.
/// Found from the bits of the number, without a logarithm: this is asked for every step of a simulation.
struct OctavePoint {
  std::size_t knot = 0;  // the one at or below
  double part = 0;       // of the way to the next
};

namespace octave {

inline constexpr int step_bits = 52 - 3;  // upper 3 bits of the mantissa choose the knot
inline constexpr std::uint64_t first = std::bit_cast<std::uint64_t>(1.0) >> step_bits;

inline OctavePoint point(double size) {
  const auto bits = std::bit_cast<std::uint64_t>(std::max(size, 1.0));
  constexpr std::uint64_t mask = (std::uint64_t{1} << step_bits) - 1;
  return {.knot = static_cast<std::size_t>((bits >> step_bits) - first),
          .part = static_cast<double>(bits & mask) * (1.0 / static_cast<double>(mask + 1))};
}

inline double size(std::size_t knot) {
  return std::bit_cast<double>((first + static_cast<std::uint64_t>(knot)) << step_bits);
}

/// Knots that a table up to this size needs, the one above it included.
inline std::size_t knots_to(double largest) { return point(largest).knot + 2; }

}  // namespace octave
}  // namespace servecast
