#include "sim/input/scenario/host_link.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace servecast {

double host_to_gpu_bytes_per_s(std::span<const GpuPlace> gpus, double copy_bytes_per_s, const Node& node) {
  std::map<std::tuple<std::int64_t, std::int64_t>, std::int64_t> below_root;  // by node and root
  for (const GpuPlace& at : gpus) ++below_root[{at.node, at.gpu / node.gpus_per_pcie_root}];
  double rate = copy_bytes_per_s;
  for (const auto& [root, count] : below_root)
    rate = std::min(rate, node.pcie_root_bytes_per_s / static_cast<double>(count));
  return rate;
}

}  // namespace servecast
