#pragma once
#include <cstdint>
#include <vector>

namespace servecast {

struct Fabric;
struct Node;
struct Pool;

/// How long the KV of some tokens takes from one replica of a pool to another, while nothing else uses the links:
/// every GPU sends its share to its counterpart, over NVLink or PCIe within a node, over the node's network ports
/// between nodes. Where a replica spans nodes, those of its first GPUs count.
class KvCopy {
 public:
  KvCopy(const Pool& pool, const Node& node, const Fabric& fabric);
  double seconds(std::size_t from, std::size_t to, std::int64_t tokens) const;

 private:
  struct Way {
    double bytes_per_s = 0;  // of each GPU
    double latency_s = 0;
  };
  double gpu_token_bytes_;
  Way within_;
  Way between_;
  std::vector<std::int64_t> node_of_;  // by replica
};

}  // namespace servecast
