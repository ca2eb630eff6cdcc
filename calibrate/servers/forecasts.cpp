#include "calibrate/servers/forecasts.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>

#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

std::string first_line(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Draws take most of the time.
std::vector<bool> with_interval(std::span<const MeasuredServer> servers, const ForecastOptions& options) {
  std::vector<bool> chosen(servers.size(), options.replicates > 0 && options.interval_servers == 0);
  if (options.replicates == 0 || options.interval_servers == 0) return chosen;
  std::map<std::string, std::vector<std::size_t>> systems;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (servers[i].interval) systems[servers[i].stages.front().system].push_back(i);
  for (const auto& [system, members] : systems) {
    const std::size_t count = std::min(options.interval_servers, members.size());
    for (std::size_t k = 0; k < count; ++k) chosen[members[(2 * k + 1) * members.size() / (2 * count)]] = true;
  }
  return chosen;
}

void set(ChildCommand& command, const std::string& setting) {
  command.words.push_back("--set");
  command.words.push_back(setting);
}

/// Of one draw of its load, into files that begin with `path`. The first has the scenario's own seed, and the
/// interval.
ChildCommand command_for(const MeasuredServer& server, const ForecastOptions& options, const std::string& path,
                         int draw, bool interval) {
  const std::string scenario = path + ".yaml";
  write_text(scenario, server.scenario);
  const std::string& engine = options.engine.empty() ? server.engine : options.engine;
  ChildCommand command{.words = {options.program, "run", scenario, "--format", "json"},
                       .output = path + ".json",
                       .complaints = path + ".txt"};
  for (int pool = 0; pool < server.pools; ++pool)
    set(command, "pools[" + std::to_string(pool) + "].engine=" + engine);
  for (const auto* settings : {&server.settings, &options.settings})
    for (const std::string& setting : *settings) set(command, setting);
  if (draw > 1) {
    set(command, fmt::format("seed={}", draw));
  } else if (interval) {
    command.words.push_back("--replicates");
    command.words.push_back(std::to_string(options.replicates));
  }
  return command;
}

const ClassSummary* class_of(const Summary& summary, const std::string& request_class) {
  const auto found = std::ranges::find(summary.classes, request_class, &ClassSummary::name);
  return found == summary.classes.end() ? nullptr : &*found;
}

const Latencies* latencies_of(const Summary& summary, const std::string& request_class) {
  if (request_class.empty()) return &summary.latencies;
  const ClassSummary* found = class_of(summary, request_class);
  return found ? &found->latencies : nullptr;
}

/// Clients that give up after their first token count in the report's TTFT, but not in what was measured: that is of
/// requests that were answered in full.
bool of_answered(const MeasuredStage& stage, ServerFigure figure) {
  return figure == ServerFigure::ttft_mean && stage.saturated;
}

/// Their TTFT: E2E less the time of the tokens after the first.
std::optional<double> answered_ttft_s(const Latencies* e2e, const Latencies* tpot, const MeasuredStage& stage) {
  if (!e2e || !tpot || !e2e->e2e_s || !tpot->tpot_s) return std::nullopt;
  return std::max(0.0, e2e->e2e_s->mean - (stage.output_tokens - 1) * tpot->tpot_s->mean);
}

std::optional<double> tokens_per_s_of(const Summary& summary, const MeasuredStage& stage) {
  if (stage.request_class.empty()) return summary.output_tokens_per_s;
  const ClassSummary* found = class_of(summary, stage.request_class);
  return found ? found->output_tokens_per_s : std::nullopt;
}

std::optional<double> kv_transfer_s_of(const Summary& summary) {
  if (summary.hand_overs.empty() || !summary.hand_overs.front().hand_over_s) return std::nullopt;
  return summary.hand_overs.front().hand_over_s->mean;
}

/// Of the prompt tokens that caches in GPU memory lack, those that host memory has.
std::optional<double> host_hits_of(const Summary& summary) {
  const auto& tiers = summary.pools.front().kv_tiers;
  if (tiers.size() < 2) return std::nullopt;
  return tiers[1].hit_fraction / (1 - tiers[0].hit_fraction);
}

bool of_a_start(ServerFigure figure) { return figure >= ServerFigure::start && figure <= ServerFigure::wake; }

std::optional<double> start_figure_of(const Summary& summary, ServerFigure figure) {
  if (summary.scaling.empty()) return std::nullopt;
  const ScalingSummary& scaling = summary.scaling.front();
  if (figure == ServerFigure::start || figure == ServerFigure::wake)
    return scaling.start_s ? std::optional(scaling.start_s->mean) : std::nullopt;
  const auto& phases = scaling.cold_start;
  if (!phases) return std::nullopt;
  if (figure == ServerFigure::start_imports) return phases->image_s + phases->imports_s;
  return figure == ServerFigure::start_gpu_load ? phases->gpu_load_s : phases->engine_init_s;
}

/// Of a server's draws.
Forecast forecast_of(std::span<const ChildCommand> commands, std::span<const int> statuses) {
  for (std::size_t i = 0; i < commands.size(); ++i)
    if (statuses[i] != 0) return {.complaint = first_line(commands[i].complaints)};
  const std::string& first = commands.front().output;
  Forecast out{.summary = read_summary(first), .interval = read_interval(first)};
  for (const ChildCommand& other : commands.subspan(1)) out.others.push_back(read_summary(other.output));
  return out;
}

}  // namespace

std::vector<Forecast> forecast(std::span<const MeasuredServer> servers, const ForecastOptions& options) {
  const ScratchFolder scratch;
  const std::vector<bool> intervals = with_interval(servers, options);
  std::vector<ChildCommand> commands;
  for (std::size_t i = 0; i < servers.size(); ++i)
    for (int draw = 1; draw <= servers[i].draws; ++draw)
      commands.push_back(
          command_for(servers[i], options, scratch / fmt::format("{}.{}", i, draw), draw, intervals[i]));
  const std::vector<int> statuses = run_children(commands, options.at_a_time);
  std::vector<Forecast> forecasts;
  std::size_t first = 0;
  for (const MeasuredServer& server : servers) {
    const std::size_t draws = static_cast<std::size_t>(server.draws);
    forecasts.push_back(
        forecast_of(std::span(commands).subspan(first, draws), std::span(statuses).subspan(first, draws)));
    first += draws;
  }
  return forecasts;
}

std::optional<double> mean_figure_of(const Forecast& forecast, const MeasuredStage& stage, ServerFigure figure) {
  double sum = 0;
  double draws = 0;
  const auto add = [&](const Summary& summary) {
    const auto value = figure_of(summary, stage, figure);
    sum += value.value_or(0);
    draws += value ? 1 : 0;
  };
  if (forecast.summary) add(*forecast.summary);
  for (const Summary& other : forecast.others) add(other);
  return draws > 0 ? std::optional(sum / draws) : std::nullopt;
}

std::optional<double> figure_of(const Summary& summary, const MeasuredStage& stage, ServerFigure figure) {
  if (figure == ServerFigure::highest_rate) return std::nullopt;  // of several runs
  if (figure == ServerFigure::output_tokens_per_s) return tokens_per_s_of(summary, stage);
  if (figure == ServerFigure::prompt_tokens_per_s) return summary.prompt_tokens_per_s;
  if (figure == ServerFigure::kv_transfer_mean) return kv_transfer_s_of(summary);
  if (figure == ServerFigure::host_hit_fraction) return host_hits_of(summary);
  if (of_a_start(figure)) return start_figure_of(summary, figure);
  const Latencies* latencies = latencies_of(summary, stage.request_class);
  if (!latencies) return std::nullopt;
  if (of_answered(stage, figure)) return answered_ttft_s(latencies, latencies, stage);
  const bool of_tpot = figure == ServerFigure::tpot_mean || figure == ServerFigure::tpot_p99;
  const bool of_e2e = figure == ServerFigure::e2e_mean || figure == ServerFigure::e2e_p90;
  const auto& statistics = of_e2e ? latencies->e2e_s : of_tpot ? latencies->tpot_s : latencies->ttft_s;
  if (!statistics) return std::nullopt;
  if (figure == ServerFigure::ttft_p50) return statistics->p50;
  if (figure == ServerFigure::e2e_p90) return statistics->p90;
  const bool p99 = figure == ServerFigure::ttft_p99 || figure == ServerFigure::tpot_p99;
  return p99 ? statistics->p99 : statistics->mean;
}

double queue_fraction_of(const Summary& summary, const MeasuredStage& stage, double way_in_s) {
  const Latencies* latencies = latencies_of(summary, stage.request_class);
  if (!latencies || !latencies->queue_s || !latencies->ttft_s || latencies->ttft_s->mean <= 0) return 0;
  return std::max(0.0, latencies->queue_s->mean - way_in_s) / latencies->ttft_s->mean;
}

/// Of starts no error is drawn. A difference of two figures whose draws are not at hand: from the least first and the
/// most second one to the opposite, which holds it however they go together.
FigureInterval interval_of(const Interval& interval, const MeasuredStage& stage, ServerFigure figure) {
  if (of_a_start(figure)) return {};
  if (!of_answered(stage, figure)) {
    const auto low = figure_of(interval.p05, stage, figure);
    const auto high = figure_of(interval.p95, stage, figure);
    return {low, high};
  }
  const Latencies* low = latencies_of(interval.p05, stage.request_class);
  const Latencies* high = latencies_of(interval.p95, stage.request_class);
  return {answered_ttft_s(low, high, stage), answered_ttft_s(high, low, stage)};
}

}  // namespace servecast
