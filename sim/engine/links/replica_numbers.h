#pragma once
#include <cstddef>
#include <vector>

#include "sim/input/scenario/scenario.h"

namespace servecast {

/// By pool: the number of its first replica. Replicas are numbered through all pools.
inline std::vector<std::size_t> first_replicas(const Scenario& scenario) {
  std::vector<std::size_t> first;
  std::size_t next = 0;
  for (const Pool& pool : scenario.pools) {
    first.push_back(next);
    next += pool.places.size();
  }
  return first;
}

}  // namespace servecast
