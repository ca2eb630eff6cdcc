#pragma once
#include <compare>
#include <cstddef>

namespace servecast {

/// A replica of the cluster.
struct ReplicaAt {
  std::size_t pool = 0;
  std::size_t replica = 0;
  auto operator<=>(const ReplicaAt&) const = default;
};

}  // namespace servecast
