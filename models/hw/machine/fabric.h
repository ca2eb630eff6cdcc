#pragma once
#include <cstdint>
#include <string>

#include "models/base/fields.h"

namespace servecast {

/// The network between servers, and the storage they share.
struct Fabric {
  std::string name;  // of the file
  std::string title;
  std::string topology = "single_switch";
  std::int64_t nodes_per_leaf = 0;
  double oversubscription = 1;
  double hop_latency_s = 0;
  double end_latency_s = 0;
  double efficiency_fraction = 1;
  double storage_bytes_per_s = 0;

  void fields(Fields& f) {
    f.required("title", title, "what it is");
    f.required("topology", topology, "single_switch: all nodes on one; fat_tree: leaf switches below a full spine",
               {"single_switch", "fat_tree"});
    f.required("nodes_per_leaf", nodes_per_leaf, "nodes below one leaf switch; 0: all nodes");
    f.required("oversubscription", oversubscription, "port bandwidth below a leaf over that of its uplinks",
               at_least_one);
    f.required("hop_latency_s", hop_latency_s, "through one switch");
    f.required("end_latency_s", end_latency_s, "both network adapters and the software above them");
    f.required("efficiency_fraction", efficiency_fraction, "share of the line rate that payload reaches",
               positive_fraction);
    f.required("storage_bytes_per_s", storage_bytes_per_s, "shared storage, all readers together", positive);
  }
};

}  // namespace servecast
