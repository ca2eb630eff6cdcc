#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// One entry of `failures.events`: exactly one thing, which is either out of service or slow for a while.
struct FailureEventSpec {
  double at_s = 0;
  std::optional<std::int64_t> node{};
  std::optional<std::int64_t> gpu{};
  std::optional<std::int64_t> nic{};
  std::optional<std::int64_t> replica{};
  std::optional<std::int64_t> link{};
  std::optional<std::int64_t> switch_number{};
  std::optional<std::int64_t> trunk{};
  bool storage = false;
  std::optional<double> notice_s{};
  std::optional<double> down_s{};
  std::optional<double> slow_s{};
  double step_time_factor = 1;
  double clock_fraction = 1;

  void fields(Fields& f) {
    f.required("at_s", at_s, "when");
    f.field(
        "node", node,
        "number of the node, from 0 through all groups, spares behind the other nodes of their group: it alone, or "
        "with gpu or nic a part of it");
    f.field("gpu", gpu, "number of the GPU in the node");
    f.field("nic", nic, "number of the network port in the node");
    f.field("replica", replica, "number of the replica through all pools: its engine crashes, its GPUs stay");
    f.field("link", link, "number of the leaf switch whose cables to the spine are cut, as in switch");
    f.field("switch", switch_number,
            "number of the leaf switch, through all groups; a group without leaves has one switch");
    f.field("trunk", trunk, "number of the link between groups of nodes, in the order of cluster.links");
    f.field("storage", storage, "shared storage");
    f.field(
        "notice_s", notice_s,
        "before it is out of service (at_s is then when that is said): its replicas take no new requests, as on a "
        "spot machine that is called back; left out: no notice",
        positive);
    f.field("down_s", down_s, "out of service for so long", positive);
    f.field("slow_s", slow_s, "or slow for so long: node, gpu or replica", positive);
    f.field("step_time_factor", step_time_factor, "while slow, steps take so many times as long", at_least_one);
    f.field("clock_fraction", clock_fraction, "while slow, GPUs run at this share of their clock (throttled)",
            positive_fraction);
  }
};

/// One entry of `failures.rates`.
struct FailureRateSpec {
  std::string part;
  std::optional<double> mtbf_s{};
  double mttr_s = 0;
  std::optional<double> notice_s{};

  void fields(Fields& f) {
    f.required("part", part, "what fails: each of its kind by itself, after and for exponentially distributed times",
               {"node", "gpu", "nic", "link", "switch", "trunk", "storage"});
    f.field(
        "mtbf_s", mtbf_s,
        "mean time from a repair to the next failure of one of them; left out: as published for node (6.5 failures "
        "in 1,000 node-days), gpu (268 of 16,384 in 54 days) or nic (7 of as many)",
        positive);
    f.required("mttr_s", mttr_s, "mean time to repair", positive);
    f.field("notice_s", notice_s,
            "of node and gpu: how long before it is said, as of spot machines; left out: not at all", positive);
  }
};

/// What breaks, and what becomes of the requests in hand.
struct FailureSpec {
  std::string in_flight = "retry";
  std::int64_t max_retries = 5;
  std::optional<double> engine_init_s{};
  std::int64_t spares = 0;
  std::vector<FailureRateSpec> rates{};
  std::vector<FailureEventSpec> events{};

  void fields(Fields& f) {
    f.field("in_flight", in_flight,
            "requests on a replica that fails. lost: their clients get an error; retry: they start over on another "
            "replica; recompute: they go on there, once prompt and output so far are computed again",
            {"lost", "retry", "recompute"});
    f.field(
        "max_retries", max_retries,
        "with retry and recompute: a request that has gone on elsewhere so often is lost with its next replica (5 as "
        "SGLang's router has it; Dynamo's guide says 3)",
        {.min = 0, .max = 1'000'000});
    f.field("engine_init_s", engine_init_s,
            "from the arrival of a replica's weights until it serves: graphs are captured, memory is measured; left "
            "out: imports, load and initialisation of its engine for its model");
    f.field("spares", spares,
            "nodes beside those of the cluster that stand in for broken GPUs; of several groups, each has its own",
            {.min = 0, .max = 16384});
    f.list("rates", rates, "what fails by chance; none: nothing does");
    f.list("events", events, "what fails at a given time");
  }
};

}  // namespace servecast
