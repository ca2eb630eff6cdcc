#pragma once
#include <span>

#include "models/hw/machine/node.h"
#include "sim/input/scenario/gpu_places.h"

namespace servecast {

/// What each of these GPUs gets from its host's memory while all load: the rate of its own copies, and those below
/// one root share that. The slowest counts.
double host_to_gpu_bytes_per_s(std::span<const GpuPlace> gpus, double copy_bytes_per_s, const Node& node);

}  // namespace servecast
