#pragma once
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

// What a design is paid for: the part `prices` of a study.

/// What one kind of GPU costs under each term; a term left out is not on offer.
struct GpuPriceSpec {
  std::string gpu;
  std::optional<double> on_demand_usd_per_gpu_hour{};
  std::optional<double> reserved_usd_per_gpu_hour{};
  std::optional<double> spot_usd_per_gpu_hour{};
  std::optional<double> purchase_usd{};

  void fields(Fields& f) {
    f.required("gpu", gpu, "kind of GPU, as pools name it");
    f.field("on_demand_usd_per_gpu_hour", on_demand_usd_per_gpu_hour, "left out: the scenario's price");
    f.field("reserved_usd_per_gpu_hour", reserved_usd_per_gpu_hour, "for a term of years");
    f.field("spot_usd_per_gpu_hour", spot_usd_per_gpu_hour, "while no other customer pays more");
    f.field("purchase_usd", purchase_usd, "to buy one");
  }
};

/// Machines that are bought.
struct OwnedSpec {
  double lifetime_s = 0;
  double node_purchase_usd = 0;
  double usd_per_kwh = 0;
  double pue = 1;

  void fields(Fields& f) {
    f.required("lifetime_s", lifetime_s, "over which the purchase is spread, evenly; four years: 1.262e8", positive);
    f.required("node_purchase_usd", node_purchase_usd, "of a server without its GPUs");
    f.required("usd_per_kwh", usd_per_kwh, "electricity");
    f.required("pue", pue, "what the building draws over what the machines draw", at_least_one);
  }
};

/// How often spot machines are called back.
struct SpotSpec {
  double mtbf_s = 0;
  double mttr_s = 0;
  std::optional<double> notice_s{};

  void fields(Fields& f) {
    f.required("mtbf_s", mtbf_s, "mean time until one node is called back", positive);
    f.required("mttr_s", mttr_s, "mean time until another one stands in for it", positive);
    f.field("notice_s", notice_s, "how long before it is said (clouds: 30 to 120); left out: not at all", positive);
  }
};

/// What a kind of KV tier costs beside the GPUs.
struct TierPriceSpec {
  std::string kind;
  double usd_per_billion_bytes_month = 0;

  void fields(Fields& f) {
    f.required("kind", kind, "as `kv_tiers.levels` of a pool name it", {"host", "nvme", "shared"});
    f.required("usd_per_billion_bytes_month", usd_per_billion_bytes_month,
               "USD for a month of 1e9 bytes of its capacity, used or not");
  }
};

/// Answers that leave the network of the machines' owner.
struct EgressSpec {
  double usd_per_billion_bytes_sent = 0;
  double bytes_per_output_token = 0;
  double bytes_per_request = 0;

  void fields(Fields& f) {
    f.required("usd_per_billion_bytes_sent", usd_per_billion_bytes_sent,
               "USD for 1e9 bytes that go out; clouds ask 0.05 to 0.12");
    f.required("bytes_per_output_token", bytes_per_output_token,
               "on the wire: about 4 of text; streamed as events of their own, 200 to 400");
    f.field("bytes_per_request", bytes_per_request, "beside the tokens");
  }
};

struct PriceSpec {
  std::string term = "on_demand";
  std::vector<GpuPriceSpec> gpus{};
  std::optional<OwnedSpec> owned{};
  std::optional<SpotSpec> spot{};
  double software_usd_per_gpu_hour = 0;
  std::vector<TierPriceSpec> kv_tiers{};
  std::optional<EgressSpec> egress{};

  void fields(Fields& f) {
    f.field("term", term,
            "what designs are compared under; the answer tells the others too. A dimension with the path prices.term "
            "has it differ from design to design",
            {"on_demand", "reserved", "spot", "owned"});
    f.list("gpus", gpus, "prices by kind of GPU");
    f.group("owned", owned, "what else owning costs; needed for term: owned");
    f.group(
        "spot", spot,
        "how often spot machines are called back: designs under term spot are simulated with it; left out: never");
    f.field("software_usd_per_gpu_hour", software_usd_per_gpu_hour,
            "licences and support for every GPU that a pool holds, under any term");
    f.list("kv_tiers", kv_tiers, "what KV tiers cost beside the GPUs' rent; a kind left out is in it");
    f.group("egress", egress, "what answers cost on their way out; left out: nothing");
  }
};

}  // namespace servecast
