#include "models/hw/profile/residual_grid.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/base/stable_math.h"

namespace servecast {
namespace {

constexpr int base = 91;
constexpr int zero = base * base / 2;
constexpr double per_unit = 1000;

char letter(int digit) { return static_cast<char>(digit < '\\' - '#' ? '#' + digit : '#' + digit + 1); }

bool is_digit(char c) { return c >= '#' && c <= '~' && c != '\\'; }

int digit(char c) { return c < '\\' ? c - '#' : c - '#' - 1; }

std::size_t lines_wanted(const GridText& text) {
  std::size_t lines = text.axes.empty() ? 0 : 1;
  for (std::size_t i = 0; i + 1 < text.axes.size(); ++i) lines *= text.axes[i].points.size();
  return lines;
}

std::optional<std::string> axis_problem(const GridAxis& axis) {
  if (axis.points.empty()) return "axis '" + axis.name + "' has no points";
  if (axis.points.front() <= 0) return "axis '" + axis.name + "' has a size that is not above 0";
  if (std::ranges::adjacent_find(axis.points, std::ranges::greater_equal{}) != axis.points.end())
    return "the points of axis '" + axis.name + "' do not rise";
  return std::nullopt;
}

}  // namespace

std::string grid_letters(double log_ratio) {
  const double scaled = std::clamp(per_unit * log_ratio, -static_cast<double>(zero), static_cast<double>(zero));
  const int number = zero + static_cast<int>(std::lround(scaled));
  return {letter(number / base), letter(number % base)};
}

std::optional<std::string> grid_problem(const GridText& text) {
  if (text.axes.size() > max_grid_axes) return "has more than " + std::to_string(max_grid_axes) + " axes";
  for (const GridAxis& axis : text.axes)
    if (auto problem = axis_problem(axis)) return problem;
  if (text.lines.size() != lines_wanted(text))
    return "has " + std::to_string(text.lines.size()) + " lines; its axes ask for " +
           std::to_string(lines_wanted(text));
  for (std::size_t i = 0; i < text.lines.size(); ++i) {
    const std::string& line = text.lines[i];
    if (line.size() != 2 * text.axes.back().points.size() || !std::ranges::all_of(line, is_digit))
      return "line " + std::to_string(i + 1) + " must hold " + std::to_string(text.axes.back().points.size()) +
             " values of two letters each";
  }
  return std::nullopt;
}

LogAxes::LogAxes(std::span<const GridAxis> axes) {
  assert(axes.size() <= max_grid_axes);
  for (const GridAxis& axis : axes) {
    std::vector<double>& logs = logs_.emplace_back();
    for (const double size : axis.points) logs.push_back(stable::log(size));
    points_ *= logs.size();
  }
}

GridCell LogAxes::locate(std::span<const double> sizes) const {
  assert(sizes.size() == dimensions());
  GridCell cell{.corners = 1};
  cell.share[0] = 1;
  for (std::size_t d = 0; d < dimensions(); ++d) {
    const std::vector<double>& logs = logs_[d];
    const double x = stable::log(sizes[d]);
    const double inside = std::clamp(x, logs.front(), logs.back());
    cell.outside = std::max(cell.outside, x > inside ? x - inside : inside - x);
    const auto above = std::ranges::upper_bound(logs, inside);
    const std::size_t high = std::min(static_cast<std::size_t>(above - logs.begin()), logs.size() - 1);
    const std::size_t low = high > 0 ? high - 1 : 0;
    const double part = high > low ? (inside - logs[low]) / (logs[high] - logs[low]) : 0;
    if (part == 0) {  // the upper corners have no share
      for (std::size_t c = 0; c < cell.corners; ++c) cell.corner[c] = cell.corner[c] * logs.size() + low;
      continue;
    }
    for (std::size_t c = 0; c < cell.corners; ++c) {
      const std::size_t row = cell.corner[c] * logs.size();
      cell.corner[c + cell.corners] = row + high;
      cell.share[c + cell.corners] = cell.share[c] * part;
      cell.corner[c] = row + low;
      cell.share[c] *= 1 - part;
    }
    cell.corners *= 2;
  }
  return cell;
}

ResidualGrid::ResidualGrid(const GridText& text) : axes_(text.axes) {
  assert(!grid_problem(text));
  for (const std::string& line : text.lines)
    for (std::size_t i = 0; i < line.size(); i += 2)
      values_.push_back((digit(line[i]) * base + digit(line[i + 1]) - zero) / per_unit);
}

ResidualGrid::Value ResidualGrid::at(std::span<const double> sizes) const {
  if (values_.empty()) return {};
  const GridCell cell = axes_.locate(sizes);
  double sum = 0;
  for (std::size_t c = 0; c < cell.corners; ++c) sum += cell.share[c] * values_[cell.corner[c]];
  return {.log_ratio = sum, .outside = cell.outside};
}

}  // namespace servecast
