#pragma once
#include <array>
#include <span>
#include <vector>

#include "models/hw/profile/operators.h"
#include "models/hw/profile/residual_grid.h"

namespace servecast {

struct GridRow {
  std::array<double, max_grid_axes> sizes{};
  double log_ratio = 0;  // log(measured / law)
};

/// Grid points for the sizes that occur: all but those closer than least_ratio to the one kept before.
std::vector<GridAxis> choose_axes(const OperatorKind& kind, std::span<const GridRow> rows);

/// The grid, linear between its points, that fits the rows best: least squares with Huber's loss at 5 %, plus the
/// squared second differences along each axis (in logs, stiffness of the axis) and a slight pull to 0, which decides
/// where no row is. Pure, and deterministic.
GridText fit_grid(const OperatorKind& kind, std::span<const GridRow> rows);

/// The grid with values in whole steps of three thousandths: a tenth of what fits are off by, and a file of them
/// packs a sixth smaller.
GridText coarser(GridText text);

}  // namespace servecast
