#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

struct AvailabilitySpec;
struct BudgetSpec;
struct PriceSpec;
struct SizedScenario;

struct GpuCount {
  std::string gpu{};
  std::int64_t count = 0;
  double usd_per_gpu_hour = 0;  // as the scenario says, mean over its pools
  bool operator==(const GpuCount&) const = default;
};

/// Nodes of one group.
struct NodeCount {
  std::int64_t nodes = 0;        // that carry replicas
  std::int64_t spare_nodes = 0;  // for the availability asked for, or as many as the scenario has
  std::int64_t gpus_per_node = 0;
  std::int64_t gpus_in_use = 0;
  std::vector<std::string> kinds{};  // of GPUs in use
  bool operator==(const NodeCount&) const = default;
};

/// GPUs of one node that no pool uses, though the node is rented whole.
struct UnusedCount {
  std::int64_t gpus = 0;
  std::map<std::string, double> usd_per_gpu_hour{};  // as the scenario says, of the kinds in use on the node
  bool operator==(const UnusedCount&) const = default;
};

/// What a design is made of, as a buyer sees it.
struct Machines {
  std::vector<GpuCount> gpus{};       // by kind, sorted
  std::vector<NodeCount> groups{};    // that carry replicas
  std::vector<UnusedCount> unused{};  // by node that has any
  double least_w = 0;                 // every GPU idle, nodes' own draw included
  double most_w = 0;                  // every GPU at its cap
  double usd_per_kwh = 0;             // of electricity that is paid beside rent
  double pue = 1;                     // then: what the building draws over what the machines draw

  std::int64_t gpu_count() const;
  std::int64_t nodes() const;
  std::int64_t spare_nodes() const;
  bool operator==(const Machines&) const = default;
};

/// Spares for availability are counted for each group by itself: a node stands in for nodes of its own kind.
Machines machines_of(const SizedScenario& sized, const std::optional<AvailabilitySpec>& availability);

/// Price of an hour. On demand, reserved, spot: rent of the GPUs in use, of the other GPUs of nodes that are rented
/// whole, at the price of the dearest kind on their node, and of all GPUs of spare nodes, at the price of the dearest
/// kind in their group, and electricity at `mean_w` where the scenario's account pays for it beside
/// rent. Owned: purchase of all GPUs of nodes and spare nodes and of the nodes themselves over their life, and
/// electricity at `mean_w`. Spares for availability are off. Nothing where the term is not on offer for a kind in
/// use.
std::optional<double> usd_per_hour(const Machines& machines, const PriceSpec& prices, const std::string& term,
                                   double mean_w);

inline const std::vector<std::string>& price_terms() {
  static const std::vector<std::string> terms{"on_demand", "reserved", "spot", "owned"};
  return terms;
}

/// Which budget it breaks, in words; nothing where it keeps them all. `usd_per_hour`: the least it can be, or what it
/// has come to.
std::optional<std::string> over_budget(const Machines& machines, const BudgetSpec& budgets, double usd_per_hour);

}  // namespace servecast
