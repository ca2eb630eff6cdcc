#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace servecast {

struct Pool;

/// What stands on one node.
struct NodeUse {
  std::size_t group = 0;
  std::int64_t gpus = 0;                             // of replicas
  std::map<std::string, double> usd_per_gpu_hour{};  // by kind of GPU, as pools name it: the highest price there
};

/// By number; nodes that carry no replica are left out. What is rented whole is rented with these nodes, each once
/// however many pools stand on it.
std::map<std::int64_t, NodeUse> node_uses(const std::vector<Pool>& pools);

}  // namespace servecast
