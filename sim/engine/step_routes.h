#pragma once
#include <vector>

#include "sim/engine/flows.h"

namespace servecast {

class Wiring;
struct Pool;
struct ReplicaPlace;

constexpr const char* collective_kind = "collective";

/// The flows of what a step of a replica over several nodes sends between these.
///
/// Every GPU sends to the GPU of its own place in another node, so that each port sends and receives the same. Tensor
/// parallelism: to the next node, as a ring over rails does. Expert parallelism: GPUs of different places to nodes at
/// different distances, which stands for everybody sending to everybody.
struct StepRoutes {
  std::vector<Transfer> transfers{};  // without bytes
  double s_per_byte = 0;              // while nobody else uses the links
};

StepRoutes step_routes(const Pool& pool, const ReplicaPlace& place, const Wiring& wiring);

}  // namespace servecast
