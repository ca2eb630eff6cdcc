#pragma once
#include <span>
#include <vector>

#include "models/hw/latency/step_latency.h"
#include "sim/engine/links/flows.h"

namespace servecast {

class Wiring;
struct Pool;
struct GpuPlace;

constexpr const char* collective_kind = "collective";

/// The flows of what a step sends between the GPUs of one pipeline stage of a replica.
///
/// Inside a node every GPU sends to the next, round a ring, so that each link sends and receives the same; this also
/// stands for ranks that send tokens to each other's experts, since NVLink switches carry any pattern. Between nodes
/// every GPU sends to the GPU of its own place in another node. One tensor-parallel group: in the next node, as a
/// ring over rails does. Ranks: GPUs of different places in nodes at different distances, which stands for all
/// sending to all.
struct StepRoutes {
  std::vector<Transfer> transfers{};  // without bytes
  double s_per_byte = 0;              // on links that carry nothing else
};

/// Of the stage that has these GPUs.
StepRoutes step_routes(const Pool& pool, std::span<const GpuPlace> stage, Reach reach, const Wiring& wiring);

}  // namespace servecast
