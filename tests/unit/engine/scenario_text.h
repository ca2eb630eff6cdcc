#pragma once
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "sim/engine/run/run.h"
#include "sim/input/resolve/load_scenario.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"

namespace servecast {

/// Loads a scenario from its text. Hardware that is bundled is read once.
inline Scenario scenario_from(const std::string& text, const std::vector<Override>& overrides = {}) {
  const auto file = std::filesystem::temp_directory_path() / ("servecast-test-" + std::to_string(getpid()) + ".yaml");
  std::ofstream(file) << text;
  struct Remove {
    std::filesystem::path file;
    ~Remove() { std::filesystem::remove(file); }
  } remove{file};
  static HardwareFiles files;
  return load_scenario(file.string(), overrides, files);
}

/// Four replicas on one DGX H100 and ten requests per second and replica.
inline const std::string small_chat = R"(
name: small chat
workload:
  generate:
    requests: 3000
    arrivals: {poisson: {requests_per_s: 40}}
    prompt_tokens: {lognormal: {median: 400, sigma: 0.8}, max: 4000}
    output_tokens: {exponential: {mean: 120}, max: 800}
cluster: {node: dgx_h100}
pools:
  - {name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g, replicas: 4}
)";

struct Finished {
  Recorder recorder;
  RunFacts facts;
};

inline Finished run_it(Scenario& scenario, const RunOptions& options = {}) {
  Finished out{.recorder = Recorder(scenario.pools.size()), .facts = {}};
  out.facts = run(scenario, out.recorder, options);
  return out;
}

}  // namespace servecast
