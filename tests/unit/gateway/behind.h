#pragma once
#include <string>
#include <vector>

#include "models/base/record.h"
#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/summary/summary.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast {

/// A fast and a slow pool behind these stages.
inline std::string behind(const std::string& stages, const std::string& workload = "", const std::string& more = "") {
  return "seed: 5\nworkload:\n  generate:\n" +
         (workload.empty()
              ? std::string("    requests: 400\n    arrivals: {poisson: {requests_per_s: 8}}\n"
                            "    prompt_tokens: {fixed: 500}\n    output_tokens: {exponential: {mean: 60}}\n")
              : workload) +
         "cluster: {node: dgx_h100}\n" + more + stages +
         "pools:\n"
         "  - {name: fast, llm: llama-3.1-8b, gpu: h100_sxm_80g, kv_cache: {policy: paged_prefix}}\n"
         "  - {name: slow, llm: llama-3.1-70b, gpu: h100_sxm_80g, tensor_parallel: 4, kv_cache: {policy: "
         "paged_prefix}}\n";
}

struct Events final : DetailListener {
  bool wants_gateway() override { return true; }
  void gateway(const GatewayEvent& event) override {
    all.push_back({event, std::string(event.what), std::string(event.kind)});
  }
  struct Row {
    GatewayEvent event;
    std::string what;
    std::string kind;
  };
  std::vector<Row> all;
};

struct Ran {
  explicit Ran(const std::string& text, bool step_by_step = false, const std::vector<Override>& set = {})
      : scenario(scenario_from(text, set)), recorder(scenario.pools.size()) {
    const RunOptions options{.detail = &events, .step_by_step = step_by_step};
    facts = run_without_engine(scenario, recorder, options);
    summary = summarise(recorder, facts);
  }
  double counted(const std::string& name) const {
    for (const StageSummary& stage : summary.gateway.stages)
      for (const StageCount& count : stage.counts)
        if (count.name == name) return count.value;
    return -1;
  }
  Scenario scenario;
  Events events;
  Recorder recorder;
  RunFacts facts;
  Summary summary;
};

}  // namespace servecast
