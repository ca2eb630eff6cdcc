#pragma once
#include <compare>
#include <cstddef>
#include <cstdint>

namespace servecast {

/// A replica of the cluster.
struct ReplicaAt {
  std::size_t pool = 0;
  std::size_t replica = 0;
  auto operator<=>(const ReplicaAt&) const = default;
};

/// A rank of it: the GPUs that have the KV of its requests.
struct RankAt {
  ReplicaAt replica{};
  std::int64_t rank = 0;
  auto operator<=>(const RankAt&) const = default;
};

}  // namespace servecast
