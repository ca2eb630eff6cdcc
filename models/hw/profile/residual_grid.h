#pragma once
#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// One axis of a grid: the sizes it has points at, rising.
struct GridAxis {
  std::string name{};
  std::vector<double> points{};

  void fields(Fields& f) {
    f.required("name", name, "what is counted along it");
    f.required("points", points, "sizes, rising");
  }
};

/// How a grid is kept in a file: log(measured / law) at the grid's points, in thousandths, two letters each
/// (grid_letters()). One text per line along the last axis; the first axis moves slowest.
struct GridText {
  std::vector<GridAxis> axes{};
  std::vector<std::string> lines{};

  void fields(Fields& f) {
    f.list("axes", axes, "the first moves slowest");
    f.field("lines", lines, "log(measured / law) along the last axis, two letters each");
  }
};

/// The two letters of a value: thousandths + 4140 as two digits to base 91, the digits being '#' to '~' without the
/// backslash. Beyond +-4.14 (a factor of 60) it is cut.
std::string grid_letters(double log_ratio);

/// What is wrong with a grid's text; nothing where it can be built.
std::optional<std::string> grid_problem(const GridText& text);

/// The corners of the cell that a point lies in, each with its share.
inline constexpr std::size_t max_grid_axes = 4;
struct GridCell {
  std::array<std::size_t, (1u << max_grid_axes)> corner{};
  std::array<double, (1u << max_grid_axes)> share{};
  std::size_t corners = 0;
  double outside = 0;  // log of the largest factor by which a size is off the grid; 0 inside
};

/// Axes in logs: which cell a shape falls into. Sizes outside take the nearest point of the axis.
class LogAxes {
 public:
  explicit LogAxes(std::span<const GridAxis> axes);

  std::size_t dimensions() const { return logs_.size(); }
  std::size_t points() const { return points_; }
  std::span<const double> axis(std::size_t i) const { return logs_[i]; }
  /// `sizes`: one per axis, above 0.
  GridCell locate(std::span<const double> sizes) const;

 private:
  std::vector<std::vector<double>> logs_;
  std::size_t points_ = 1;
};

/// A smooth correction of a law: linear in the logs of the sizes between grid points, outside as at the nearest one.
/// scripts/tables/beyond-tables says how far off that is.
class ResidualGrid {
 public:
  ResidualGrid() : axes_({}) {}
  /// Requires !grid_problem(text).
  explicit ResidualGrid(const GridText& text);

  struct Value {
    double log_ratio = 0;
    double outside = 0;  // as in GridCell
  };
  Value at(std::span<const double> sizes) const;

 private:
  LogAxes axes_;
  std::vector<double> values_;
};

}  // namespace servecast
