#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace servecast {

/// What failures did to one pool.
struct FailureTotals {
  std::string pool{};
  double replica_s = 0;               // of all its replicas
  double down_s = 0;                  // of that, in which they did not serve
  std::vector<double> crashed_s{};    // when a replica stopped
  std::int64_t lost = 0;              // requests
  std::int64_t retried = 0;           // times that one started over on another replica
  std::int64_t resumed = 0;           // or went on there
  std::int64_t lost_tokens = 0;       // computed, prompts and outputs, in vain
  std::int64_t reprefill_tokens = 0;  // of these, in prompts that are computed again
  double reload_bytes = 0;            // of weights
  std::int64_t stand_ins = 0;         // times that a replica went to GPUs of a spare
};

/// Parts of one kind.
struct BrokenPartFacts {
  std::string of{};
  std::int64_t parts = 0;
  std::int64_t failures = 0;
  double down_s = 0;  // of all of them together
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
