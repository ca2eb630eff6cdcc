#pragma once
#include <map>

#include "calibrate/fit/cells.h"

namespace servecast {

/// Leaves out collectives of so many GPUs that each moves less than a third of what each of two does: on the machine
/// that timed them, pairs reach each other and larger groups go through the host's memory (L40S: 20 GB/s between two
/// GPUs, 5 between four, 1 between eight; NVLink's rates rise with the ranks). How many reach each other is the
/// machine's affair, not the GPU's: larger groups are taken to be as two are, and count as extrapolated.
void leave_without_peer_access(std::map<Flavour, FlavourCells>& all);

}  // namespace servecast
