#include "calibrate/servers/page/knees.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

namespace servecast {
namespace {

constexpr double growth = 3;
constexpr std::size_t fewest_stages = 4;

using Stages = std::vector<ComparedFigure>;

/// Index of the knee; as many as there are stages where there is none.
std::size_t knee(const Stages& stages, const std::function<double(const ComparedFigure&)>& ttft) {
  const double least = ttft(std::ranges::min(stages, {}, ttft));
  const auto waits = [&](const ComparedFigure& stage) { return ttft(stage) > growth * least; };
  return static_cast<std::size_t>(std::ranges::find_if(stages, waits) - stages.begin());
}

std::string at(const Stages& stages, std::size_t knee) {
  return knee == stages.size() ? "beyond " + stages.back().stage : stages[knee].stage;
}

}  // namespace

std::string knee_table(std::span<const ComparedFigure> figures) {
  std::map<std::string, Stages> servers;
  for (const ComparedFigure& f : figures)
    if ((f.regime == Regime::router_ladder || f.regime == Regime::kv_tiers) && f.figure == ServerFigure::ttft_mean &&
        f.forecast && f.stage.ends_with("req/s"))
      servers[f.system].push_back(f);
  std::erase_if(servers, [](const auto& server) { return server.second.size() < fewest_stages; });
  if (servers.empty()) return "";
  std::string text =
      "\nWhere first tokens begin to wait, the first stage whose mean TTFT is over three times the least:\n\n"
      "| server | measured | by forecast | stages apart | TTFT before it, median error |\n|---|---|---|---|---|\n";
  for (const auto& [system, stages] : servers) {
    const std::size_t measured = knee(stages, [](const ComparedFigure& f) { return f.measured; });
    const std::size_t forecast = knee(stages, [](const ComparedFigure& f) { return f.forecast.value(); });
    const double before = summarise_errors(std::span(stages).first(measured)).median;
    text += fmt::format("| {} | {} | {} | {:+} | {:.1f} % |\n", system, at(stages, measured), at(stages, forecast),
                        static_cast<std::int64_t>(forecast) - static_cast<std::int64_t>(measured), 100 * before);
  }
  return text;
}

}  // namespace servecast
