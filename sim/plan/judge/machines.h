#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

struct AvailabilitySpec;
struct BudgetSpec;
struct SizedScenario;

struct GpuCount {
  std::string gpu{};
  std::string title{};  // of the product
  std::int64_t count = 0;
  bool operator==(const GpuCount&) const = default;
};

/// What one pool holds of GPUs.
struct PoolCount {
  std::string pool{};
  std::string gpu{};
  std::int64_t gpus = 0;  // of all its replicas
  std::int64_t gpus_per_replica = 0;
  std::optional<std::int64_t> always{};  // where replicas come and go: GPUs that are held at any time
  double usd_per_gpu_hour = 0;           // as the scenario says
  bool operator==(const PoolCount&) const = default;
};

/// Memory or disks that keep KV.
struct TierCount {
  std::string kind{};
  double bytes = 0;  // of all replicas
  bool operator==(const TierCount&) const = default;
};

/// Nodes of one group.
struct NodeCount {
  std::string group{};           // empty: the only one
  std::int64_t nodes = 0;        // that carry replicas
  std::int64_t spare_nodes = 0;  // for the availability asked for, or as many as the scenario has
  std::int64_t gpus_per_node = 0;
  std::int64_t gpus_in_use = 0;
  std::vector<std::string> kinds{};  // of GPUs in use
  bool operator==(const NodeCount&) const = default;
};

/// GPUs of one node that no pool uses, though the node is rented whole.
struct UnusedCount {
  std::string group{};  // empty: the only one
  std::int64_t gpus = 0;
  bool comes_and_goes = false;  // with replicas of an autoscaled pool, which alone stand on the node
  std::map<std::string, double> usd_per_gpu_hour{};  // as the scenario says, of the kinds in use on the node
  bool operator==(const UnusedCount&) const = default;
};

/// What a design is made of, as a buyer sees it.
struct Machines {
  std::vector<GpuCount> gpus{};       // by kind, sorted
  std::vector<PoolCount> pools{};
  std::vector<TierCount> tiers{};     // by kind, sorted
  std::vector<NodeCount> groups{};    // that carry replicas
  std::vector<UnusedCount> unused{};  // by node that has any
  double least_w = 0;                 // every GPU that is always held idle, nodes' own draw included
  double most_w = 0;                  // every GPU at its cap
  double usd_per_kwh = 0;             // of electricity that is paid beside rent
  double pue = 1;                     // then: what the building draws over what the machines draw

  std::int64_t gpu_count() const;
  /// "14 H100 SXM 80GB on 2 nodes and 1 spare".
  std::string words() const;
  bool scales() const;  // replicas of a pool come and go
  std::int64_t nodes() const;
  std::int64_t spare_nodes() const;
  bool operator==(const Machines&) const = default;
};

/// Spares for availability are counted for each group by itself: a node stands in for nodes of its own kind.
Machines machines_of(const SizedScenario& sized, const std::optional<AvailabilitySpec>& availability);

/// Which budget it breaks, in words; nothing where it keeps them all. `usd_per_hour`: the least it can be, or what it
/// has come to.
std::optional<std::string> over_budget(const Machines& machines, const BudgetSpec& budgets, double usd_per_hour);

}  // namespace servecast
