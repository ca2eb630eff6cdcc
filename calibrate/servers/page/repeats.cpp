#include "calibrate/servers/page/repeats.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

#include "calibrate/servers/page/asked.h"
#include "calibrate/servers/page/errors_text.h"
#include "models/base/quantile.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr std::size_t fewest_runs = 5;

/// Another run of llm-d's ladder, which the measured rows do not hold: Qwen3-32B on 8 servers of two H100 behind a
/// Kubernetes service, output tokens/s (github.com/llm-d/llm-d, guides/optimized-baseline/README.md as of 021723b8).
struct OtherRun {
  const char* stage;
  double output_tokens_per_s;
};
constexpr const char* other_ladder = "Qwen3-32B, round_robin";
constexpr std::array<OtherRun, 16> other_runs{{{"3 req/s", 1797},
                                               {"10 req/s", 4215},
                                               {"15 req/s", 5381},
                                               {"20 req/s", 6205},
                                               {"22 req/s", 5517},
                                               {"25 req/s", 5965},
                                               {"30 req/s", 5702},
                                               {"35 req/s", 5890},
                                               {"40 req/s", 6336},
                                               {"43 req/s", 6588},
                                               {"46 req/s", 6459},
                                               {"49 req/s", 6265},
                                               {"52 req/s", 6303},
                                               {"55 req/s", 6290},
                                               {"57 req/s", 6089},
                                               {"60 req/s", 6551}}};

using Setting = std::tuple<std::string, std::string, double>;  // system, stage, forecast
using RegimeFigure = std::pair<Regime, ServerFigure>;
using Apart = std::map<RegimeFigure, std::vector<double>>;  // shares of the first run of a setting

Apart runs_apart(std::span<const ComparedFigure> figures) {
  std::map<RegimeFigure, std::map<Setting, double>> first;
  Apart apart;
  for (const ComparedFigure& f : figures) {
    if (!f.forecast || f.saturated) continue;
    const RegimeFigure key{f.regime, f.figure};
    const auto [run, is_first] = first[key].try_emplace({f.system, f.stage, *f.forecast}, f.measured);
    if (!is_first) apart[key].push_back(std::abs(f.measured / run->second - 1));
  }
  return apart;
}

void add_other_ladder(std::span<const ComparedFigure> figures, Apart& apart) {
  for (const ComparedFigure& f : figures) {
    if (f.system != other_ladder || f.figure != ServerFigure::output_tokens_per_s) continue;
    const auto other = std::ranges::find(other_runs, f.stage, &OtherRun::stage);
    if (other != other_runs.end())
      apart[{f.regime, f.figure}].push_back(std::abs(other->output_tokens_per_s / f.measured - 1));
  }
}

std::string row(const RegimeFigure& key, const std::vector<double>& apart, std::span<const ComparedFigure> figures) {
  const Figures reported = chosen(figures, [&](const ComparedFigure& f) {
    return f.regime == key.first && f.figure == key.second && !f.fitting && !f.saturated;
  });
  const Asked* wanted = asked_of(key.first, key.second);
  return fmt::format("| {} | {} | {} | {} / {} | {} | {} |\n", facts(key.first).title, title_of(key.second),
                     apart.size(), human::percent(median(apart)), human::percent(quantile(apart, 0.9)),
                     errors_text(summarise_errors(reported)), wanted ? human::percent(wanted->median) : "–");
}

}  // namespace

std::string repeats_table(std::span<const ComparedFigure> figures) {
  Apart apart = runs_apart(figures);
  add_other_ladder(figures, apart);
  std::erase_if(apart, [](const auto& one) { return one.second.size() < fewest_runs; });
  if (apart.empty()) return "";
  std::string text =
      "\n## Runs of one setting\n\nHow far two of them lie apart: the best forecast there is, what many runs come to "
      "in the mean, would be off by 0.7 of that in the median. Runs are rows of one setting, of engine versions that "
      "one engine file stands for, and of the router ladder a second one that llm-d's guide published before (behind "
      "a Kubernetes service).\n\n| rows | figure | further runs | apart, median / p90 | median / p90 error of "
      "forecasts | asked, median |\n|---|---|---|---|---|---|\n";
  for (const auto& [key, values] : apart) text += row(key, values, figures);
  return text;
}

}  // namespace servecast
