#include "calibrate/servers/page/accuracy_page.h"

#include <fmt/format.h>

#include <map>
#include <utility>

#include "calibrate/servers/page/asked.h"
#include "calibrate/servers/page/errors_text.h"
#include "calibrate/servers/page/knees.h"
#include "calibrate/servers/page/known_gaps.h"
#include "calibrate/servers/page/peer.h"
#include "calibrate/servers/page/repeats.h"
#include "calibrate/servers/read/error_split.h"
#include "calibrate/servers/read/left_out.h"
#include "calibrate/servers/read/split.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

std::string asked_text(const Asked* goal) {
  if (!goal) return "–";
  return goal->p90 > 0 ? fmt::format("{} / {}", human::percent(goal->median), human::percent(goal->p90))
                       : human::percent(goal->median);
}

std::string coverage_text(const Coverage& c) {
  return c.rows == 0 ? "– | –"
                     : fmt::format("{} of {} | {}", human::percent(c.fraction()), c.rows,
                                   human::percent(c.median_half_width));
}

std::string held_text(const Coverage& c) {
  return c.rows == 0 ? "–" : fmt::format("{} of {}", human::percent(c.fraction()), c.rows);
}

/// Of systems that the errors of engine files were fitted on, and of those that they were not.
Figures on_error_fit(std::span<const ComparedFigure> figures) {
  return chosen(figures, [](const auto& f) { return f.error_fit; });
}
Figures on_others(std::span<const ComparedFigure> figures) {
  return chosen(figures, [](const auto& f) { return !f.error_fit; });
}

std::string refused_text(const ErrorSummary& s) {
  return s.without_forecast == 0 ? "" : fmt::format(" (+{} refused)", s.without_forecast);
}

/// Which of the two bounds errors keep.
std::string kept_text(const Asked* goal, const ErrorSummary& s) {
  if (!goal || s.rows == 0) return "–";
  const bool median = s.median <= goal->median;
  if (goal->p90 == 0) return median ? "yes" : "no";
  const bool p90 = s.p90 <= goal->p90;
  return median == p90 ? (median ? "yes" : "no") : (median ? "median" : "p90");
}

constexpr const char* summary_heading =
    "| regime | figure | rows | median / p90 error | asked | kept | bias | 90 % intervals hold | half-width | on "
    "fitting rows | intervals hold on systems of the errors |\n|---|---|---|---|---|---|---|---|---|---|---|\n";

std::string summary_row(const std::string& title, const Asked* goal, const Figures& rows) {
  const ErrorSummary s = summarise_errors(chosen(rows, [](const auto& f) { return !f.fitting; }));
  const ErrorSummary fitted = summarise_errors(chosen(rows, [](const auto& f) { return f.fitting; }));
  return fmt::format("| {} | {} | {}{} | {} | {} | {} | {} | {} | {} ({}) | {} |\n", title,
                     title_of(rows.front().figure), s.rows, refused_text(s), errors_text(s), asked_text(goal),
                     kept_text(goal, s), bias_text(s), coverage_text(coverage_of(on_others(rows))),
                     errors_text(fitted), fitted.rows, held_text(coverage_of(on_error_fit(rows))));
}

/// One row for each figure of a regime; of the summary for each of which something is asked.
std::string summary_rows(const RegimeFacts& regime, std::span<const ComparedFigure> figures, const std::string& title,
                         bool asked_alone) {
  std::string text;
  for (const FigureName& name : figure_names) {
    const Asked* goal = asked_of(regime.regime, name.figure);
    const Figures rows = chosen(
        figures, [&](const auto& f) { return f.regime == regime.regime && f.figure == name.figure && !f.saturated; });
    if (!rows.empty() && (goal || !asked_alone)) text += summary_row(title, goal, rows);
  }
  return text;
}

/// All regimes together, and stages with more to do than the server could: their intervals alone.
std::string coverage_of_all(std::span<const ComparedFigure> figures) {
  std::string text;
  const auto line = [&](const char* title, bool saturated) {
    const Figures rows = chosen(figures, [&](const auto& f) { return f.saturated == saturated; });
    const Coverage c = coverage_of(on_others(rows));
    if (c.rows > 0)
      text += fmt::format("| {} | – | {} | – | – | – | – | {} | – | {} |\n", title, c.rows, coverage_text(c),
                          held_text(coverage_of(on_error_fit(rows))));
  };
  line("all figures of all regimes", false);
  line("overloaded stages", true);
  return text;
}

std::string summary_table(std::span<const ComparedFigure> figures) {
  std::string text = summary_heading;
  for (const RegimeFacts& regime : regimes)
    text += summary_rows(regime, figures, fmt::format("[{}](accuracy/{}.md)", regime.title, regime.key), true);
  return text + coverage_of_all(figures);
}

/// Was every server with too much to do told from those without?
std::string verdicts(std::span<const ComparedFigure> figures) {
  std::int64_t right[2] = {};
  std::int64_t all[2] = {};
  for (const ComparedFigure& f : figures) {
    if (f.regime != Regime::open_loop || f.figure != ServerFigure::e2e_mean || !f.forecast) continue;
    ++all[f.saturated];
    right[f.saturated] += f.said_saturated == f.saturated ? 1 : 0;
  }
  if (all[0] + all[1] == 0) return "";
  return fmt::format("\nVerdict \"saturated\": {} of {} overloaded stages, and rightly not on {} of {} others.\n",
                     right[1], all[1], right[0], all[0]);
}

}  // namespace

std::string accuracy_summary(const AccuracyInput& input) {
  return summary_table(input.figures) + verdicts(input.figures) + knee_table(input.figures) +
         repeats_table(input.figures) + peer_table(input.figures);
}

std::string split_page(const AccuracyInput& input) {
  return fmt::format(
      "# Which measured systems are fitted on\n\nSystems are split before anything is fitted "
      "([why](../decisions/fitting-and-reporting.md)). Terms of engines are fitted on these alone:\n\n{}\nThe errors "
      "behind intervals are fitted on these, each with one weight:\n\n{}\n{}",
      split_text(), error_split_text(), input.fitted_on);
}

std::string no_forecast_page(const AccuracyInput& input) {
  return input.left_out.empty() ? ""
                                : "# No forecast\n\nRows of which none can be made, and what is missing:\n\n" +
                                      left_out_text(input.left_out);
}

std::string regime_page(Regime regime, std::span<const ComparedFigure> figures) {
  std::map<std::pair<std::string, ServerFigure>, Figures> systems;
  for (const ComparedFigure& f : figures)
    if (f.regime == regime && !f.saturated) systems[{f.system, f.figure}].push_back(f);
  if (systems.empty()) return "";
  const RegimeFacts& about = facts(regime);
  std::string text = fmt::format(
      "# Accuracy: {}\n\n{}\n\n{}{}\n## By system\n\n| model, GPU, engine | figure | rows | median / p90 error | "
      "bias | 90 % intervals hold | half-width |\n|---|---|---|---|---|---|---|\n",
      about.title, about.load, summary_heading, summary_rows(about, figures, about.title, false));
  for (const auto& [key, rows] : systems) {
    const ErrorSummary s = summarise_errors(rows);
    text +=
        fmt::format("| {}{}{} | {} | {}{} | {} | {} | {} |\n", key.first, rows.front().fitting ? " (fitting)" : "",
                    rows.front().error_fit ? " (errors)" : "", title_of(key.second), s.rows, refused_text(s),
                    errors_text(s), bias_text(s), coverage_text(coverage_of(rows)));
  }
  return text + known_gaps_section(regime, figures);
}

}  // namespace servecast
