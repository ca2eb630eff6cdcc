#include "models/hw/profile/operator_model.h"

#include <algorithm>
#include <cassert>

#include "models/base/stable_math.h"

namespace servecast {
namespace {

/// Assumed: outside the measured shapes the error grows by this per factor e.
constexpr double spread_per_outside_log = 0.15;
/// Below this a size counts as on the edge of the grid, not beyond it.
constexpr double edge_log = 1e-9;

}  // namespace

OperatorModel::OperatorModel(const FittedOperator& fitted)
    : kind_(operator_kind(fitted.op)),
      sizes_(servecast::number_sizes(fitted.dtype, fitted.kv_dtype)),
      tile_rows_(fitted.tile_rows),
      law_(fitted.law),
      residual_(fitted.residual.axes.empty() ? ResidualGrid() : ResidualGrid(fitted.residual)),
      spread_up_to_s_(fitted.evidence.spread_up_to_s),
      spread_fraction_(fitted.evidence.spread_fraction) {
  assert(kind_ != nullptr);
  assert(fitted.residual.axes.empty() || fitted.residual.axes.size() == kind_->axis_count);
  for (std::size_t d = 0; d < fitted.residual.axes.size(); ++d) {
    const auto& points = fitted.residual.axes[d].points;
    if (kind_->axes[d].one_stands_for_all && points.size() == 1) only_point_[d] = points.front();
    largest_[d] = points.back();
  }
}

std::array<double, max_grid_axes> OperatorModel::grid_sizes(const KernelShape& shape) const {
  auto sizes = kind_->sizes(shape);
  for (std::size_t d = 0; d < sizes.size(); ++d) sizes[d] = only_point_[d].value_or(sizes[d]);
  return sizes;
}

KernelTime OperatorModel::at(const KernelShape& asked, const NumberSizes& numbers) const {
  const KernelShape shape = fill_tiles(asked, tile_rows_);
  const LawTime law = law_(kind_->work(shape, numbers));
  const auto sizes = grid_sizes(shape);
  const ResidualGrid::Value residual = residual_.at(std::span(sizes).first(kind_->axis_count));
  const double ratio = stable::exp(residual.log_ratio);
  const double seconds = law.seconds * ratio;
  return {.seconds = seconds,
          .compute_s = law.compute_s * ratio,
          .extrapolated = residual.outside > edge_log,
          .spread = spread(seconds, residual.outside)};
}

double OperatorModel::spread(double seconds, double outside) const {
  double base = 0;
  if (!spread_fraction_.empty()) {
    const auto region = std::ranges::upper_bound(spread_up_to_s_, seconds) - spread_up_to_s_.begin();
    base = spread_fraction_[std::min(static_cast<std::size_t>(region), spread_fraction_.size() - 1)];
  }
  return base + spread_per_outside_log * outside;
}

}  // namespace servecast
