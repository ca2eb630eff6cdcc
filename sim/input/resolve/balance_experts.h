#pragma once
#include <cstdint>
#include <string>

namespace servecast {

struct Node;
struct Place;
struct Pool;
class RankLoads;

/// What the fullest GPU of a replica has with the routing of the pool's `expert_balance`; `folder` is where paths in
/// the scenario count from. Throws UserError at `named` for what cannot be.
RankLoads balance_experts(const Pool& pool, const Node& node, std::uint64_t seed, const std::string& folder,
                          const Place& named);

/// The same where the pool says nothing of its routing: all experts are chosen equally often, by chance.
RankLoads loads_by_chance(const Pool& pool, const Node& node);

}  // namespace servecast
