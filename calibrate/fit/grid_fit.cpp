#include "calibrate/fit/grid_fit.h"

#include <Eigen/IterativeLinearSolvers>
#include <Eigen/Sparse>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <map>
#include <set>
#include <string>

namespace servecast {
namespace {

constexpr double huber_at = 0.05;
constexpr int reweightings = 3;
constexpr double pull_to_zero = 1e-4;

using Matrix = Eigen::SparseMatrix<double>;
using Triplets = std::vector<Eigen::Triplet<double>>;

int index(std::size_t i) { return static_cast<int>(i); }

/// Shares of the grid points in each row.
Matrix design(const LogAxes& axes, std::span<const GridRow> rows) {
  Triplets entries;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const GridCell cell = axes.locate(std::span(rows[r].sizes).first(axes.dimensions()));
    for (std::size_t c = 0; c < cell.corners; ++c)
      if (cell.share[c] > 0) entries.emplace_back(index(r), index(cell.corner[c]), cell.share[c]);
  }
  Matrix matrix(static_cast<Eigen::Index>(rows.size()), static_cast<Eigen::Index>(axes.points()));
  matrix.setFromTriplets(entries.begin(), entries.end());
  return matrix;
}

/// Second differences along axis d at every inner point of the grid, times the root of the stiffness: one row each.
void add_stiffness(const LogAxes& axes, std::size_t d, double stiffness, Triplets& entries, int& row) {
  const std::span<const double> at = axes.axis(d);
  std::size_t stride = 1;
  for (std::size_t e = d + 1; e < axes.dimensions(); ++e) stride *= axes.axis(e).size();
  for (std::size_t point = 0; point < axes.points(); ++point) {
    const std::size_t i = point / stride % at.size();
    if (i == 0 || i + 1 == at.size()) continue;
    const double below = at[i] - at[i - 1];
    const double above = at[i + 1] - at[i];
    const double root = std::sqrt(stiffness);
    entries.emplace_back(row, index(point - stride), root * above / (below + above));
    entries.emplace_back(row, index(point), -root);
    entries.emplace_back(row, index(point + stride), root * below / (below + above));
    ++row;
  }
}

/// Differences between neighbours on axis d, and how they change along the last axis, times the root of the likeness:
/// what was measured for one of them shows where the other was not.
void add_likeness(const LogAxes& axes, std::size_t d, double likeness, Triplets& entries, int& row) {
  const std::size_t last = axes.axis(axes.dimensions() - 1).size();
  std::size_t stride = 1;
  for (std::size_t e = d + 1; e < axes.dimensions(); ++e) stride *= axes.axis(e).size();
  const double root = std::sqrt(likeness);
  for (std::size_t point = 0; point < axes.points(); ++point) {
    if (point / stride % axes.axis(d).size() + 1 == axes.axis(d).size() || point % last + 1 == last) continue;
    entries.emplace_back(row, index(point), root);
    entries.emplace_back(row, index(point + 1), -root);
    entries.emplace_back(row, index(point + stride), -root);
    entries.emplace_back(row, index(point + stride + 1), root);
    ++row;
  }
}

Matrix penalty(const OperatorKind& kind, const LogAxes& axes) {
  Triplets entries;
  int row = 0;
  for (std::size_t d = 0; d < axes.dimensions(); ++d) {
    add_stiffness(axes, d, kind.axes[d].stiffness, entries, row);
    if (kind.axes[d].likeness > 0) add_likeness(axes, d, kind.axes[d].likeness, entries, row);
  }
  Matrix differences(row, static_cast<Eigen::Index>(axes.points()));
  differences.setFromTriplets(entries.begin(), entries.end());
  Matrix identity(static_cast<Eigen::Index>(axes.points()), static_cast<Eigen::Index>(axes.points()));
  identity.setIdentity();
  return Matrix(differences.transpose() * differences) + pull_to_zero * identity;
}

GridText to_text(std::vector<GridAxis> axes, const Eigen::VectorXd& values) {
  GridText text{.axes = std::move(axes)};
  const std::size_t length = text.axes.back().points.size();
  for (std::size_t at = 0; at < static_cast<std::size_t>(values.size()); at += length) {
    std::string& line = text.lines.emplace_back();
    for (std::size_t i = 0; i < length; ++i) line += grid_letters(values[static_cast<Eigen::Index>(at + i)]);
  }
  return text;
}

}  // namespace

GridText coarser(GridText text) {
  constexpr int step = 3;
  constexpr int most = 4140;
  std::map<std::string, std::string> nearest;
  for (int value = -most; value <= most; ++value) {
    const int steps = (value + (value < 0 ? -1 : 1)) / step;  // thirds are never half way
    nearest.emplace(grid_letters(0.001 * value), grid_letters(0.001 * (steps * step)));
  }
  for (std::string& line : text.lines)
    for (std::size_t i = 0; i < line.size(); i += 2) line.replace(i, 2, nearest.at(line.substr(i, 2)));
  return text;
}

std::vector<GridAxis> choose_axes(const OperatorKind& kind, std::span<const GridRow> rows) {
  std::vector<GridAxis> axes;
  for (std::size_t d = 0; d < kind.axis_count; ++d) {
    std::set<double> sizes;
    for (const GridRow& row : rows) sizes.insert(row.sizes[d]);
    GridAxis& axis = axes.emplace_back(GridAxis{.name = std::string(kind.axes[d].name)});
    for (const double size : sizes)
      if (axis.points.empty() || size >= axis.points.back() * kind.axes[d].least_ratio) axis.points.push_back(size);
    if (axis.points.back() < *sizes.rbegin()) axis.points.push_back(*sizes.rbegin());
  }
  return axes;
}

GridText fit_grid(const OperatorKind& kind, std::span<const GridRow> rows) {
  assert(!rows.empty());
  std::vector<GridAxis> chosen = choose_axes(kind, rows);
  const LogAxes axes(chosen);
  const Matrix a = design(axes, rows);
  const Matrix smooth = penalty(kind, axes);
  Eigen::VectorXd wanted(static_cast<Eigen::Index>(rows.size()));
  for (std::size_t r = 0; r < rows.size(); ++r) wanted[static_cast<Eigen::Index>(r)] = rows[r].log_ratio;
  Eigen::VectorXd weights = Eigen::VectorXd::Ones(wanted.size());
  Eigen::VectorXd values = Eigen::VectorXd::Zero(static_cast<Eigen::Index>(axes.points()));
  Eigen::ConjugateGradient<Matrix, Eigen::Lower | Eigen::Upper> solver;  // factors of four axes fill up: minutes
  solver.setTolerance(1e-7);
  solver.setMaxIterations(20'000);
  for (int pass = 0; pass < reweightings; ++pass) {
    const Matrix normal = Matrix(a.transpose() * weights.asDiagonal() * a) + smooth;
    solver.compute(normal);
    values = solver.solveWithGuess(a.transpose() * weights.cwiseProduct(wanted), values);
    assert(solver.info() == Eigen::Success);
    const Eigen::ArrayXd off = (wanted - a * values).array().abs();
    weights = (huber_at / off.max(huber_at)).matrix();
  }
  return to_text(std::move(chosen), values);
}

}  // namespace servecast
