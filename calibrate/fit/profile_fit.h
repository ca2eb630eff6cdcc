#pragma once
#include <functional>
#include <map>
#include <string>

#include "calibrate/fit/cells.h"
#include "models/hw/profile/kernel_profile.h"

namespace servecast {

/// Fewer shapes than this say nothing about an operator: no fit is made. A collective between two GPUs has 21 or 23,
/// of which 13 to 18 are not held out.
inline constexpr std::size_t fewest_cells = 12;

/// Law and residual grid on the cells that are not held out, evidence on those that are. Pure. A model's layer of
/// experts has few cells, each a choice of kernels of its own: its grid is then fitted on every cell.
FittedOperator fit_operator(const Flavour& flavour, const FlavourCells& cells);

/// Median, 90th and 95th percentile of |predicted / measured - 1|, and the spread by region.
FitEvidence judge(const FittedOperator& fitted, const std::vector<Cell>& cells);

struct ProfileFitInputs {
  const Gpu& gpu;
  std::string engine;
  const std::map<Flavour, FlavourCells>& cells;
};
/// Every flavour with enough cells; `fitted` is called for each.
KernelProfile fit_profile(const ProfileFitInputs& inputs, const std::function<void(const FittedOperator&)>& fitted);

/// `kept` with the laws and fits of `fitted` in place of its own.
KernelProfile with_kept(KernelProfile kept, KernelProfile fitted);

}  // namespace servecast
