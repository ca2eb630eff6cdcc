#pragma once
#include <cstdint>
#include <string>

#include "models/base/fields.h"

namespace servecast {

/// One server. Which GPUs sit in it is in the end the scenario's business; NVLink's speed is the GPU's, its wiring is
/// the node's.
struct Node {
  std::string name;  // of the file
  std::string title;
  std::int64_t gpus = 0;
  std::string gpu_link = "pcie";  // how GPUs reach each other
  double gpu_link_latency_s = 0;
  std::int64_t nics = 0;
  double nic_bytes_per_s = 0;
  std::int64_t gpus_per_pcie_root = 0;
  double pcie_root_bytes_per_s = 0;
  double host_memory_bytes = 0;
  double nvme_bytes_per_s = 0;
  double overhead_w = 0;
  std::string gpu{};  // name of the GPU that it is sold with; empty: any

  bool nvlink() const { return gpu_link != "pcie"; }

  void fields(Fields& f) {
    f.required("title", title, "name of the product or kind");
    f.required("gpus", gpus, "GPUs in it", at_least_one);
    f.required("gpu_link", gpu_link,
               "nvswitch: every pair at full NVLink speed; pairs: NVLink bridges between two and two; pcie: none",
               {"nvswitch", "pairs", "pcie"});
    f.required("gpu_link_latency_s", gpu_link_latency_s, "from GPU to GPU");
    f.required("nics", nics, "network ports for GPU traffic");
    f.required("nic_bytes_per_s", nic_bytes_per_s, "line rate of one port, one direction");
    f.required("gpus_per_pcie_root", gpus_per_pcie_root, "GPUs that share one link to the host", at_least_one);
    f.required("pcie_root_bytes_per_s", pcie_root_bytes_per_s, "that link, one direction", positive);
    f.required("host_memory_bytes", host_memory_bytes, "DRAM of the server", positive);
    f.required("nvme_bytes_per_s", nvme_bytes_per_s, "reading local disks, all together", positive);
    f.required("overhead_w", overhead_w, "power of everything but the GPUs, under load");
    f.field("gpu", gpu, "GPU that it is sold with, by which pools find their group of nodes; left out: any");
  }
};

}  // namespace servecast
