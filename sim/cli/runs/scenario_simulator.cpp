#include "sim/cli/runs/scenario_simulator.h"

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "servecast_version.h"
#include "sim/cli/output/added_files.h"
#include "sim/cli/output/settings_text.h"
#include "sim/cli/program/options.h"
#include "sim/engine/run/run.h"
#include "sim/input/files/files_read.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/plugins/plugin.h"
#include "sim/plan/runs/build_id.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/runs/sha256.h"
#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/summary/summary.h"

namespace servecast {
namespace {

// Lines of what is learned: a file that was read, and one that is a kernel profile.
constexpr char file_mark = 'f';
constexpr char profile_mark = 'p';

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

LoadedRun ScenarioSimulator::load(const RunRequest& request) {
  const FilesRead read;
  const std::vector<std::string> kept = profiles_.files();
  scenario_.emplace(load_scenario(request.scenario, overrides_of(request)));
  settings_ = settings_text(scenario_->spec);
  added_files_ = added_files(read.files(), digests_);
  std::vector<std::string> inputs = read.files();
  std::ranges::sort(inputs);             // in which order they were read does not matter either
  std::erase(inputs, request.scenario);  // what it says is in the settings; its comments do not matter
  LoadedRun loaded;
  for (const std::string& file : inputs)
    if (!digests_.knows(file)) loaded.learned += file_mark + file + "\n";
  for (const std::string& file : profiles_.files())
    if (!std::ranges::binary_search(kept, file)) loaded.learned += profile_mark + file + "\n";
  for (const std::string& file : inputs) loaded.rests_on += digests_.of(file) + " " + file + "\n";
  loaded.key = run_key(build_id(), settings_, inputs, digests_);
  return loaded;
}

void ScenarioSimulator::remember(const std::string& learned) {
  std::istringstream lines(learned);
  for (std::string line; std::getline(lines, line);) {
    const std::string file = line.substr(1);
    if (line.front() == file_mark)
      digests_.of(file);
    else
      load_profile(file, {});
  }
}

/// Names of files count from here and from the library.
std::string ScenarioSimulator::name(const RunRequest& request) {
  Sha256 sha;
  for (const std::string& word : {build_id(), std::filesystem::current_path().string(), request.scenario,
                                  digests_.of(YamlText::file_of(request.scenario))})
    sha.add(word).add("\n");
  for (const std::filesystem::path& folder : library_folders()) sha.add(folder.string()).add("\n");
  for (const Plugin& plugin : loaded_plugins())
    sha.add(plugin.file).add("\n").add(digests_.of(plugin.file)).add("\n");
  for (const std::string& word : request.set) sha.add(word).add("\n");
  for (const auto& value : {request.seed, request.calibration_draw, request.first_requests})
    sha.add(value ? std::to_string(*value) : "-").add("\n");
  return sha.hex();
}

bool ScenarioSimulator::still(const std::string& rests_on) {
  std::istringstream lines(rests_on);
  std::string digest;
  for (std::string file; lines >> digest && std::getline(lines.ignore(), file);)
    if (digests_.of(file) != digest) return false;
  return true;
}

std::string ScenarioSimulator::run() {
  Recorder recorder(scenario_->pools.size(), {.records = false});
  RunFacts facts = servecast::run(*scenario_, recorder, {});
  facts.version = version;
  facts.settings = settings_;
  facts.added_files = added_files_;
  return to_json(summarise(recorder, facts));
}

}  // namespace servecast
