#include "calibrate/servers/forecasts.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include "sim/report/child_process.h"
#include "sim/report/text_file.h"

namespace servecast {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

ChildCommand command_for(const MeasuredServer& server, const ForecastOptions& options, const ScratchFolder& scratch,
                         std::size_t i) {
  const std::string name = std::to_string(i);
  const std::string scenario = scratch / (name + ".yaml");
  write_text(scenario, server.scenario);
  const std::string& engine = options.engine.empty() ? server.engine : options.engine;
  ChildCommand command{
      .words = {options.program, "run", scenario, "--format", "json", "--set", "pools[0].engine=" + engine},
      .output = scratch / (name + ".json"),
      .complaints = scratch / (name + ".txt")};
  for (const std::string& setting : options.settings) {
    command.words.push_back("--set");
    command.words.push_back(setting);
  }
  if (options.replicates > 0) {
    command.words.push_back("--replicates");
    command.words.push_back(std::to_string(options.replicates));
  }
  return command;
}

const Latencies* latencies_of(const Summary& summary, const std::string& request_class) {
  if (request_class.empty()) return &summary.latencies;
  const auto found = std::ranges::find(summary.classes, request_class, &ClassSummary::name);
  return found == summary.classes.end() ? nullptr : &found->latencies;
}

/// Of requests that were answered in full: E2E less the time of the tokens after the first. The report's TTFT counts
/// clients that gave up later, too.
std::optional<double> answered_ttft_s(const Latencies& latencies, double output_tokens) {
  if (!latencies.e2e_s || !latencies.tpot_s) return std::nullopt;
  return latencies.e2e_s->mean - (output_tokens - 1) * latencies.tpot_s->mean;
}

}  // namespace

std::vector<Forecast> forecast(std::span<const MeasuredServer> servers, const ForecastOptions& options) {
  const ScratchFolder scratch;
  std::vector<ChildCommand> commands;
  for (std::size_t i = 0; i < servers.size(); ++i) commands.push_back(command_for(servers[i], options, scratch, i));
  const std::vector<int> statuses = run_children(commands, options.at_a_time);
  std::vector<Forecast> forecasts;
  for (std::size_t i = 0; i < servers.size(); ++i) {
    if (statuses[i] == 0)
      forecasts.push_back(
          {.summary = read_summary(commands[i].output), .interval = read_interval(commands[i].output)});
    else
      forecasts.push_back({.complaint = first_line(commands[i].complaints)});
  }
  return forecasts;
}

std::optional<double> figure_of(const Summary& summary, const MeasuredStage& stage, ServerFigure figure) {
  if (figure == ServerFigure::output_tokens_per_s) return summary.output_tokens_per_s;
  const Latencies* latencies = latencies_of(summary, stage.request_class);
  if (!latencies) return std::nullopt;
  if (figure == ServerFigure::ttft_mean && stage.saturated) return answered_ttft_s(*latencies, stage.output_tokens);
  const auto& statistics = figure == ServerFigure::e2e_mean    ? latencies->e2e_s
                           : figure == ServerFigure::tpot_mean ? latencies->tpot_s
                                                               : latencies->ttft_s;
  if (!statistics) return std::nullopt;
  return figure == ServerFigure::ttft_p99 ? statistics->p99 : statistics->mean;
}

}  // namespace servecast
