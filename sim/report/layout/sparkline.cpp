#include "sim/report/layout/sparkline.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

namespace servecast {
namespace {

constexpr std::array<std::string_view, 9> eighths{" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
constexpr std::array<std::string_view, 9> letters{" ", ".", ":", "-", "=", "+", "*", "#", "@"};

std::size_t level(double value, double top) {
  if (value <= 0 || top <= 0) return 0;
  const double steps = static_cast<double>(eighths.size() - 1);
  return static_cast<std::size_t>(std::ceil(std::min(1.0, value / top) * steps));
}

}  // namespace

std::string sparkline(std::span<const double> values, double top, std::size_t width, bool unicode) {
  const std::size_t characters = std::min(width, values.size());
  std::string out;
  for (std::size_t i = 0; i < characters; ++i) {
    const std::size_t from = i * values.size() / characters;
    const std::size_t to = (i + 1) * values.size() / characters;
    const double highest = *std::ranges::max_element(values.subspan(from, to - from));
    out += (unicode ? eighths : letters)[level(highest, top)];
  }
  return out;
}

}  // namespace servecast
