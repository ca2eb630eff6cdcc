#pragma once
#include <array>
#include <optional>
#include <vector>

#include "models/hw/profile/kernel_profile.h"
#include "models/hw/profile/operators.h"

namespace servecast {

struct KernelTime {
  double seconds = 0;
  double compute_s = 0;       // the part of it that arithmetic bounds
  bool extrapolated = false;  // the shape lies outside the measured ones
  double spread = 0;          // relative standard deviation to expect
  bool skewed = false;        // experts: under routing as skewed as trained routers', touched experts included
};

/// One fitted operator, ready to be asked: law(work) x exp(residual). Pure.
class OperatorModel {
 public:
  /// Requires a known operator and a sound grid.
  explicit OperatorModel(const FittedOperator& fitted);

  KernelTime operator()(const KernelShape& shape) const { return at(shape, sizes_); }
  /// The same for numbers stored otherwise than in the rows of the fit: the law counts them, and it extrapolates.
  KernelTime at(const KernelShape& shape, const NumberSizes& numbers) const;

  const NumberSizes& number_sizes() const { return sizes_; }
  /// The largest size that was measured along an axis of the grid; 0 without one.
  double largest(std::size_t axis) const { return largest_[axis]; }

 private:
  std::array<double, max_grid_axes> grid_sizes(const KernelShape& shape) const;
  double spread(double seconds, double outside) const;

  const OperatorKind* kind_;
  NumberSizes sizes_;
  std::int64_t tile_rows_;
  KernelLaw law_;
  ResidualGrid residual_;
  std::array<std::optional<double>, max_grid_axes> only_point_{};  // of axes whose one point stands for all
  std::array<double, max_grid_axes> largest_{};
  std::vector<double> spread_up_to_s_;
  std::vector<double> spread_fraction_;
};

}  // namespace servecast
