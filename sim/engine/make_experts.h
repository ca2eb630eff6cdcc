#pragma once
#include <memory>

#include "sim/input/scenario.h"
#include "sim/serving/expert_offload.h"

namespace servecast {

/// The experts of one replica of a pool that offloads them; none of another.
std::unique_ptr<ExpertOffload> make_experts(const Pool& pool, std::int64_t replica, std::uint64_t seed,
                                            const Node& node);

}  // namespace servecast
