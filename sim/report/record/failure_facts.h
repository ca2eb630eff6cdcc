#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// Counts of the failures of one pool, reported as they are.
struct FailureCounts {
  std::string pool{};
  std::int64_t lost = 0;
  std::int64_t retried = 0;
  std::int64_t resumed = 0;
  std::int64_t lost_tokens = 0;
  std::int64_t reprefill_tokens = 0;
  double reload_bytes = 0;
  std::int64_t stand_ins = 0;
  bool operator==(const FailureCounts&) const = default;
};

/// What failures did to one pool.
struct FailureTotals : FailureCounts {
  double replica_s = 0;             // of all its replicas
  double down_s = 0;                // of that, in which they did not serve
  std::vector<double> crashed_s{};  // when a replica stopped
};

/// Parts of one kind.
struct BrokenPartFacts {
  std::string part{};
  std::int64_t parts = 0;
  std::int64_t failures = 0;
  double down_s = 0;  // summed
};

/// GPUs of spare nodes, at one price.
struct SpareGpus {
  std::int64_t gpus = 0;
  double usd_per_gpu_hour = 0;
};

struct FailureFacts {
  std::vector<FailureTotals> pools{};  // by PoolId; empty where nothing can fail
  std::vector<BrokenPartFacts> parts{};
  std::vector<SpareGpus> spares{};  // by group of nodes that has any
};

}  // namespace servecast
