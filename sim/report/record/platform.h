#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

// platform.json: what is wired to what, and which replica runs where. Parts refer to each other by name.

struct PlatformNode {
  std::string name{};
  std::string kind{};  // e.g. "dgx_h100"
  void fields(Fields& f) {
    f.field("name", name, "node");
    f.field("kind", kind, "as in scenarios/hw");
  }
};

struct PlatformGpu {
  std::string name{};
  std::string kind{};
  std::string node{};
  void fields(Fields& f) {
    f.field("name", name, "GPU");
    f.field("kind", kind, "as in scenarios/hw");
    f.field("node", node, "node it sits in");
  }
};

struct PlatformLink {
  std::string name{};
  std::string kind{};  // e.g. "nvlink", "pcie", "nic", "fabric", "trunk"
  std::string from{};  // a GPU, node or switch
  std::string to{};
  double bytes_per_s = 0;
  double latency_s = 0;
  void fields(Fields& f) {
    f.field("name", name, "link");
    f.field("kind", kind, "what it is made of");
    f.field("from", from, "one end");
    f.field("to", to, "the other end");
    f.field("bytes_per_s", bytes_per_s, "capacity, in one direction");
    f.field("latency_s", latency_s, "delay before the first byte");
  }
};

struct PlatformReplica {
  std::int64_t replica = 0;
  std::string pool{};
  std::vector<std::string> gpus{};  // stage by stage
  void fields(Fields& f) {
    f.field("replica", replica, "as in requests.csv");
    f.field("pool", pool, "pool it belongs to");
    f.field("gpus", gpus, "GPUs it runs on, stage by stage");
  }
};

struct PlatformGroup {
  std::string name{};
  std::vector<std::string> nodes{};
  void fields(Fields& f) {
    f.field("name", name, "group of nodes of one kind, as in the scenario");
    f.field("nodes", nodes, "its nodes, spares included");
  }
};

struct Platform {
  std::vector<PlatformGroup> groups{};
  std::vector<PlatformNode> nodes{};
  std::vector<PlatformGpu> gpus{};
  std::vector<PlatformLink> links{};
  std::vector<PlatformReplica> replicas{};
  void fields(Fields& f) {
    f.list("groups", groups, "groups of nodes, of a cluster that has several");
    f.list("nodes", nodes, "nodes", true);
    f.list("gpus", gpus, "GPUs", true);
    f.list("links", links, "links", true);
    f.list("replicas", replicas, "replicas", true);
  }
};

/// The text of platform.json.
std::string to_json(const Platform& platform);

}  // namespace servecast
