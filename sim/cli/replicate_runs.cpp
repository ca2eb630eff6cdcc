#include "sim/cli/replicate_runs.h"

#include <fstream>
#include <iterator>

#include "models/base/error.h"
#include "sim/report/child_process.h"

namespace servecast {
namespace {

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

ChildCommand command_for(const ScenarioArguments& scenario, std::int64_t seed, std::int64_t draw, double spread,
                         const ScratchFolder& scratch) {
  const std::string name = std::to_string(draw);
  ChildCommand command{
      .words = {sibling_program("servecast"), "run", scenario.file, "--format", "json", "--progress", "none"},
      .output = scratch / (name + ".json"),
      .complaints = scratch / (name + ".txt")};
  std::vector<std::string> settings = scenario.set;
  settings.push_back("seed=" + std::to_string(seed + draw));
  settings.push_back("calibration_draw=" + name);
  settings.push_back("calibration_spread=" + std::to_string(spread));
  for (const std::string& setting : settings) {
    command.words.push_back("--set");
    command.words.push_back(setting);
  }
  return command;
}

}  // namespace

std::vector<Summary> run_replicates(const ScenarioArguments& scenario, std::int64_t seed, std::int64_t count,
                                    double spread) {
  const ScratchFolder scratch;
  std::vector<ChildCommand> commands;
  for (std::int64_t draw = 1; draw <= count; ++draw)
    commands.push_back(command_for(scenario, seed, draw, spread, scratch));
  const std::vector<int> statuses = run_children(commands, processors());
  std::vector<Summary> summaries;
  for (std::size_t i = 0; i < commands.size(); ++i) {
    if (statuses[i] != 0)
      throw UserError("replicate " + std::to_string(i + 1) + " failed: " + text_of_file(commands[i].complaints));
    summaries.push_back(read_summary(commands[i].output));
  }
  return summaries;
}

}  // namespace servecast
