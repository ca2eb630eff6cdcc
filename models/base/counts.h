#pragma once
#include <cstdint>

namespace servecast {

/// A count as a factor of a formula; exact up to 2^53.
constexpr double real(std::int64_t count) { return static_cast<double>(count); }

/// How many parts of the size `part` hold `count`. Requires part > 0.
constexpr std::int64_t divided_up(std::int64_t count, std::int64_t part) { return (count + part - 1) / part; }

}  // namespace servecast
