#pragma once
#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "sim/report/csv/detail_csv.h"
#include "tests/unit/engine/scenario_text.h"

namespace servecast {

/// One transfer of a run.
struct Flow {
  std::string from{};  // names of the platform
  std::string to{};
  double bytes = 0;
  double start_s = 0;
  double end_s = 0;
  double seconds() const { return end_s - start_s; }
};
using FlowsByKind = std::map<std::string, std::vector<Flow>>;
struct FlowsSeen final : DetailListener {
  FlowsByKind by_kind{};
  void flow(const FlowRecord& flow) override {
    by_kind[std::string(flow.kind)].push_back(
        {std::string(flow.from), std::string(flow.to), flow.bytes, flow.start_s, flow.end_s});
  }
};

/// A trace of prompts in blocks of 16 tokens, and the flows of a scenario that runs it.
inline FlowsByKind flows_of(const std::string& rows, const std::string& scenario_text) {
  const auto trace = std::filesystem::temp_directory_path() / fmt::format("servecast-tiers-{}.csv", getpid());
  std::ofstream(trace) << "arrival_s,prompt_tokens,output_tokens,block_tokens,prefix_blocks\n" << rows;
  Scenario scenario =
      scenario_from(fmt::format("workload: {{trace: {{path: {}}}}}\n{}", trace.string(), scenario_text));
  FlowsSeen seen;
  run_it(scenario, {.detail = &seen});
  std::filesystem::remove(trace);
  return seen.by_kind;
}

}  // namespace servecast
