#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// One entry of `cluster.groups`.
struct NodeGroupSpec {
  std::string name;
  std::string node;
  std::int64_t nodes = 1;
  std::string fabric = "single_switch";
  std::string gpu{};
  std::int64_t spares = 0;
  std::string rent = "as_cluster";
  std::string site{};
  double egress_usd_per_billion_bytes = 0;

  void fields(Fields& f) {
    f.required("name", name, "name of the group, as pools and links call it");
    f.required("node", node, "kind of server: a bundled name (`servecast list nodes`) or the path of a YAML file");
    f.field("nodes", nodes, "how many of them", {.min = 1, .max = 16384});
    f.field("fabric", fabric,
            "network between the group's nodes: a bundled name (`servecast list fabrics`) or a YAML file");
    f.field(
        "gpu", gpu,
        "GPU in all of its nodes: a bundled name or a YAML file; left out: the one that this kind of node is sold "
        "with, else whichever its pools have");
    f.field("spares", spares, "with failures: nodes beside these that stand in for broken GPUs of the group",
            {.min = 0, .max = 16384});
    f.field("rent", rent, "how its machines are paid for: as cluster.rent says, or one of what that may be",
            {"as_cluster", "whole_nodes", "single_gpus"});
    f.field("site", site, "groups with the same name here send each other for nothing; left out: a site of its own");
    f.field(
        "egress_usd_per_billion_bytes", egress_usd_per_billion_bytes,
        "USD for 1e9 bytes that leave the group for another site over cluster.links, e.g. KV; between regions of a "
        "cloud 0.01 to 0.09");
  }
};

/// One entry of `cluster.links`.
struct GroupLinkSpec {
  std::vector<std::string> between{};
  double bytes_per_s = 0;
  double latency_s = 0;

  void fields(Fields& f) {
    f.required("between", between, "names of the two groups that it joins");
    f.required("bytes_per_s", bytes_per_s, "what it carries in each direction", positive);
    f.required("latency_s", latency_s,
               "from one end to the other, beside that of the groups' own networks: between sites, 5e-6 a kilometre");
  }
};

/// `cluster`: one group of nodes in the short form (node, nodes, fabric), or several.
struct ClusterSpec {
  std::string node;
  std::int64_t nodes = 1;
  std::string fabric = "single_switch";
  std::string rent = "whole_nodes";
  std::vector<NodeGroupSpec> groups{};
  std::vector<GroupLinkSpec> links{};

  void fields(Fields& f) {
    if (groups.empty()) {  // reading, groups come last; they are not echoed with settings without groups
      f.field("node", node,
              "kind of server: a bundled name (`servecast list nodes`) or the path of a YAML file; either this or "
              "groups must be given");
      f.field("nodes", nodes, "how many of them", {.min = 1, .max = 16384});
      f.field("fabric", fabric, "network between nodes: a bundled name (`servecast list fabrics`) or a YAML file");
    }
    f.field("rent", rent,
            "whole_nodes: a node with a replica on it is paid for with all of its GPUs, once for all pools; "
            "single_gpus: the GPUs of replicas alone. Spare nodes are whole",
            {"whole_nodes", "single_gpus"});
    f.list("groups", groups, "in place of node, nodes and fabric: groups of nodes, each of its own kind and network");
    f.list("links", links,
           "what joins the networks of groups; what has no link on the way between two groups cannot go from one to "
           "the other");
  }
};

}  // namespace servecast
