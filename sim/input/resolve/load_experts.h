#pragma once
#include <cstdint>
#include <memory>
#include <string>

namespace servecast {

struct ExpertPlan;
class ExpertRouting;
struct ExpertShape;
struct Node;
struct Place;
struct Pool;
struct RoutingData;

/// What a routing's files hold; paths count from `folder`. Throws UserError at `named` where they do not fit.
RoutingData routing_data(const ExpertRouting& routing, const ExpertShape& shape, const std::string& folder,
                         const Place& named);

/// What a pool's `expert_offload` says, worked out for its model; `folder` is where paths in the scenario count from.
/// Throws UserError at `named` for what cannot be.
ExpertPlan plan_experts(const Pool& pool, const Node& node, std::uint64_t seed, const std::string& folder,
                        const Place& named);

/// The routing of one of the pool's models, ready to be asked: the same structure for every caller.
std::unique_ptr<ExpertRouting> make_routing(const Pool& pool, const ExpertPlan& plan, std::size_t model,
                                            std::uint64_t seed);

}  // namespace servecast
