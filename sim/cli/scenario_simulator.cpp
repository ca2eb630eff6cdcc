#include "sim/cli/scenario_simulator.h"

#include "servecast_version.h"
#include "sim/cli/options.h"
#include "sim/cli/settings_text.h"
#include "sim/engine/run.h"
#include "sim/input/files_read.h"

namespace servecast {
namespace {

std::vector<Override> overrides_of(const RunRequest& request) {
  std::vector<Override> overrides = parse_overrides(request.set);
  const auto add = [&](const char* path, std::optional<std::int64_t> value) {
    if (value) overrides.push_back({.path = path, .value = std::to_string(*value)});
  };
  add("seed", request.seed);
  add("calibration_draw", request.calibration_draw);
  add("first_requests", request.first_requests);
  return overrides;
}

}  // namespace

std::string ScenarioSimulator::load(const RunRequest& request) {
  const FilesRead read;
  scenario_.emplace(load_scenario(request.scenario, overrides_of(request)));
  settings_ = settings_text(scenario_->spec);
  std::vector<std::string> inputs = read.files();
  std::erase(inputs, request.scenario);  // what it says is in the settings; its comments do not matter
  return run_key(version, settings_, inputs, digests_);
}

std::string ScenarioSimulator::run() {
  Recorder recorder(scenario_->pools.size(), {.records = false});
  RunFacts facts = servecast::run(*scenario_, recorder, {});
  facts.version = version;
  facts.settings = settings_;
  return to_json(summarise(recorder, facts));
}

}  // namespace servecast
