#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

#include "models/base/rng.h"

namespace servecast {

/// A small study drawn by chance: H100 in nodes of eight and L40S in nodes of four, rented whole or one by one, under
/// some term, with or without spares, an outside API, software, a KV tier, electricity and egress.
struct RandomStudy {
  std::string goal{};
  bool whole_nodes = false;
  bool second_pool = false;
  bool may_ask_api = false;
  bool spares = false;
  std::int64_t tensor_parallel = 1;
  std::vector<std::string> terms{};
  double software_usd = 0;
  double tier_usd = 0;  // a month of 1e9 bytes
  double tier_bytes = 0;
  double usd_per_kwh = 0;
  double egress_usd = 0;
  double site_egress_usd = 0;  // 0: both kinds of machines serve by themselves; else x sends its prompts' KV to y
  double peak_factor = 1;
  double budget_usd = 0;  // 0: none

  explicit RandomStudy(Rng& rng) {
    const auto one_of = [&](auto... values) {
      const std::vector all{values...};
      return all[rng.below(all.size())];
    };
    const auto maybe = [&] { return rng.uniform() < 0.5; };
    goal = one_of(std::string("least_cost"), std::string("least_cost"), std::string("least_energy"),
                  std::string("most_goodput"), std::string("pareto_cost"));
    whole_nodes = maybe();
    second_pool = maybe();
    may_ask_api = maybe();
    spares = maybe();
    tensor_parallel = one_of(1, 2);
    terms = one_of(std::vector<std::string>{"on_demand"}, std::vector<std::string>{"reserved"},
                   std::vector<std::string>{"owned"}, std::vector<std::string>{"on_demand", "spot"},
                   std::vector<std::string>{"spot", "reserved", "owned"});
    software_usd = one_of(0.0, 0.7);
    tier_usd = one_of(0.0, 3.65);
    tier_bytes = one_of(0.0, 4e11);
    usd_per_kwh = one_of(0.0, 0.9);
    egress_usd = one_of(0.0, 400.0);
    peak_factor = one_of(1.0, 1.5);
    budget_usd = one_of(0.0, 0.0, 25.0);
    site_egress_usd = one_of(0.0, second_pool ? 300.0 : 0.0);
  }

  /// Keys below `base`; that of the base has 1 request a second.
  std::string text(const std::string& promises) const {
    std::string text = promises + "promise: {certainty: best_estimate}\ngoal: " + goal + "\n";
    if (goal == "most_goodput") text += "rate_factors: [1, 2]\n";
    if (peak_factor != 1) text += fmt::format("demand: {{peak_factor: {}}}\n", peak_factor);
    if (budget_usd > 0) text += fmt::format("budgets: {{usd_per_hour: {}}}\n", budget_usd);
    if (spares) text += "availability: {mtbf_s: 99, mttr_s: 1, target_fraction: 0.999}\n";
    return text + prices() + settings() + space();
  }

 private:
  std::string prices() const {
    std::string text = fmt::format(
        "prices:\n  term: {}\n  gpus:\n"
        "    - {{gpu: h100_sxm_80g, reserved_usd_per_gpu_hour: 2, spot_usd_per_gpu_hour: 1.6, purchase_usd: 3000}}\n"
        "    - {{gpu: l40s_48g, reserved_usd_per_gpu_hour: 0.7, spot_usd_per_gpu_hour: 0.5, purchase_usd: 900}}\n"
        "  owned: {{lifetime_s: 3600000, node_purchase_usd: 1000, usd_per_kwh: 0.2, pue: 1.5}}\n"
        "  spot: {{mtbf_s: 1000000, mttr_s: 60, notice_s: 30}}\n  software_usd_per_gpu_hour: {}\n",
        terms.front(), software_usd);
    if (tier_usd > 0)
      text += fmt::format("  kv_tiers: [{{kind: host, usd_per_billion_bytes_month: {}}}]\n", tier_usd);
    if (egress_usd > 0)
      text += fmt::format(
          "  egress: {{usd_per_billion_bytes_sent: {}, bytes_per_output_token: 300, bytes_per_request: 1000}}\n",
          egress_usd);
    return text;
  }

  std::string settings() const {
    std::string pools =
        fmt::format("{{name: x, llm: llama-3.1-8b, gpu: h100_sxm_80g, tensor_parallel: {}", tensor_parallel);
    if (tier_bytes > 0)
      pools += fmt::format(
          ", kv_cache: {{policy: paged_prefix}}, kv_tiers: {{levels: [{{kind: host, capacity_bytes: {}}}]}}",
          tier_bytes);
    if (site_egress_usd > 0) pools += ", placement: {policy: disaggregated, decode_pool: y}";
    pools += "}";
    if (second_pool) pools += ", {name: y, llm: llama-3.1-8b, gpu: l40s_48g}";
    return fmt::format(
        "set:\n  - 'cluster={{rent: {}, groups: [{{name: a, node: dgx_h100, egress_usd_per_billion_bytes: {}}}, "
        "{{name: b, node: pcie_server_4, gpu: l40s_48g, nodes: 2}}], links: [{{between: [b, a], bytes_per_s: 1e10, "
        "latency_s: 0.001}}]}}'\n  - 'pools=[{}]'\n  - workload.pool=x\n{}",
        whole_nodes ? "whole_nodes" : "single_gpus", site_egress_usd, pools,
        usd_per_kwh > 0 ? fmt::format("  - 'account={{usd_per_kwh: {}, pue: 1.2}}'\n", usd_per_kwh) : "");
  }

  std::string space() const {
    std::string text = "space:\n";
    if (terms.size() > 1) {
      text += "  - {name: term, path: prices.term, values: [";
      for (const std::string& term : terms) text += (term == terms.front() ? "" : ", ") + term;
      text += "]}\n";
    }
    if (may_ask_api)
      text +=
          "  - name: owner\n    options:\n      - {name: own}\n"
          "      - {name: api, set: [\"gateway=[{policy: api_tier, name: api, usd_per_million_prompt_tokens: 10, "
          "usd_per_million_output_tokens: 30, ttft_median_s: 0.1, tpot_median_s: 0.02},{policy: threshold, strong: "
          "api, weak: x, apgr: 0.7, strong_fraction: 1}]\"]}\n";
    text += "  - {name: x, path: 'pools[0].replicas', from: 1, to: 4}\n";
    if (second_pool) text += "  - {name: y, path: 'pools[1].replicas', values: [1, 3, 5]}\n";
    return text;
  }
};

}  // namespace servecast
