#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "sim/report/platform.h"

namespace servecast {

/// The way from one part to another: the links that a flow shares with others, and the delay of its first byte.
struct Path {
  std::vector<std::size_t> links{};  // into Platform::links
  double latency_s = 0;
};

/// One transfer to be made: which way, and how much.
struct Transfer {
  std::string kind{};  // e.g. "weight_load"
  std::string from{};
  std::string to{};
  Path path{};
  double bytes = 0;
};

struct FinishedTransfer {
  const Transfer* transfer = nullptr;
  double start_s = 0;
  double end_s = 0;
};

/// The cluster's links in SimGrid. Flows that cross a link at the same time share it max-min fairly. The latency of a
/// path is a delay before the flow: links themselves have none, or SimGrid would weight the shares by it.
///
/// Every transfer has a route of its own, from a host that stands for its start to one for its end, so that a path is
/// exactly the links that it names.
class Network {
 public:
  explicit Network(std::span<const PlatformLink> links);
  ~Network();

  /// Before the engine runs: `transfers` will be made together, by one actor, which then calls `done` with the times.
  void add(std::vector<Transfer> transfers, std::function<void(const std::vector<FinishedTransfer>&)> done);
  /// One more actor, the last thing to be added.
  void add_actor(const std::string& name, const std::function<void()>& body);

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace servecast
