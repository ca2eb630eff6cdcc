#pragma once
#include <map>
#include <vector>

#include "calibrate/fit/cells.h"
#include "models/hw/profile/transfer_law.h"

namespace servecast {

/// A law for each way and kind of host memory of which single copies were timed. Start and rate are fitted as those
/// of kernels (fit_law()); where all copies are large, nothing tells the start, and it is 0. What pieces that lie
/// apart add is what is left of their copies' times, by least squares of relative errors. Pure.
std::vector<TransferLaw> fit_transfers(const std::map<Flavour, FlavourCells>& cells);

}  // namespace servecast
