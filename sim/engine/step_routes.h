#pragma once
#include <span>
#include <vector>

#include "sim/engine/flows.h"

namespace servecast {

class Wiring;
struct Pool;
struct GpuPlace;

constexpr const char* collective_kind = "collective";

/// The flows of what a step sends between the nodes of one pipeline stage of a replica.
///
/// Every GPU sends to the GPU of its own place in another node, so that each port sends and receives the same. One
/// tensor-parallel group: to the next node, as a ring over rails does. Ranks that send tokens to each other's
/// experts: GPUs of different places to nodes at different distances, which stands for everybody sending to
/// everybody.
struct StepRoutes {
  std::vector<Transfer> transfers{};  // without bytes
  double s_per_byte = 0;              // while nobody else uses the links
};

/// Of the stage that has these GPUs.
StepRoutes step_routes(const Pool& pool, std::span<const GpuPlace> stage, const Wiring& wiring);

}  // namespace servecast
