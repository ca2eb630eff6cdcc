#pragma once
#include <cstdint>
#include <memory>

namespace servecast {

class ExpertOffload;
struct Node;
struct Pool;

/// The experts of one replica of a pool that offloads them; none of another.
std::unique_ptr<ExpertOffload> make_experts(const Pool& pool, std::int64_t replica, std::uint64_t seed,
                                            const Node& node);

}  // namespace servecast
