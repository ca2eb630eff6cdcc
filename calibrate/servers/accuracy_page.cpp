#include "calibrate/servers/accuracy_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "calibrate/servers/comparison.h"
#include "calibrate/servers/left_out.h"

namespace servecast {
namespace {

constexpr Target targets[]{
    {"vLLM open loop, E2E mean", "vLLM open loop", ServerFigure::e2e_mean, false, 0.03, 0},
    {"vLLM open loop, TTFT mean", "vLLM open loop", ServerFigure::ttft_mean, false, 0.05, 0},
    {"vLLM open loop, TTFT P99, warm stages", "vLLM open loop", ServerFigure::ttft_p99, true, 0.05, 0},
    {"vLLM open loop, TTFT P99, all stages", "vLLM open loop", ServerFigure::ttft_p99, false, 0.17, 0},
    {"vLLM open loop, TPOT", "vLLM open loop", ServerFigure::tpot_mean, false, 0, 0},
    {"vLLM closed loop, TPOT", "vLLM closed loop", ServerFigure::tpot_mean, false, 0.04, 0},
    {"vLLM closed loop, TTFT of 8192/1024", "vLLM closed loop, 8192/1024", ServerFigure::ttft_mean, false, 0.10, 0},
    {"TensorRT-LLM closed loop, TPOT", "TensorRT-LLM closed loop", ServerFigure::tpot_mean, false, 0.04, 0},
    {"TensorRT-LLM offline, output tokens/s", "TensorRT-LLM offline", ServerFigure::output_tokens_per_s, false, 0.07,
     0.20},
    {"the same, rows that waits at all-reduces were fitted on", "TensorRT-LLM offline, fitted",
     ServerFigure::output_tokens_per_s, false, 0, 0},
    {"the same on GPUs whose kernels are derived", "TensorRT-LLM offline, derived GPUs",
     ServerFigure::output_tokens_per_s, false, 0, 0},
    {"TensorRT-LLM 1.0 offline, output tokens/s", "TensorRT-LLM 1.0 offline", ServerFigure::output_tokens_per_s,
     false, 0.07, 0.20},
};

/// "vLLM closed loop" takes in "vLLM closed loop, 8192/1024", but no other group with a name of its own.
bool belongs(const ComparedFigure& figure, const Target& target) {
  const std::string group = target.group;
  if (figure.figure != target.figure || (target.only_warm && !figure.warm)) return false;
  return figure.group == group || figure.group == group + ", 8192/1024";
}

std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }
std::string signed_percent(double share) { return fmt::format("{:+.1f} %", 100 * share); }
std::string or_dash(double bound) { return bound > 0 ? percent(bound) : "–"; }

const char* title_of(ServerFigure figure) {
  return std::ranges::find(figure_names, figure, &FigureName::figure)->title;
}

std::string amount(ServerFigure figure, double value) {
  return figure == ServerFigure::output_tokens_per_s ? fmt::format("{:.0f}", value)
                                                     : fmt::format("{:.2f} ms", 1e3 * value);
}

std::string medians(std::span<const ComparedFigure> figures) {
  std::string text =
      "| what | rows | median | p90 | bias | asked: median | asked: p90 |\n|---|---|---|---|---|---|---|\n";
  for (const Target& target : targets) {
    std::vector<ComparedFigure> rows;
    std::ranges::copy_if(figures, std::back_inserter(rows), [&](const auto& f) { return belongs(f, target); });
    const ErrorSummary s = summarise_errors(rows);
    if (s.rows + s.without_forecast == 0) continue;
    const std::string missing = s.without_forecast > 0 ? fmt::format(" (+{} refused)", s.without_forecast) : "";
    text += fmt::format("| {} | {}{} | {} | {} | {} | {} | {} |\n", target.title, s.rows, missing, percent(s.median),
                        percent(s.p90), signed_percent(s.bias), or_dash(target.median), or_dash(target.p90));
  }
  return text;
}

std::string intervals(std::span<const ComparedFigure> figures) {
  std::string text = "| intervals (90 %) | rows | hold the measured value | median half-width |\n|---|---|---|---|\n";
  bool any = false;
  const auto line = [&](const std::string& title, auto belongs_here) {
    std::vector<ComparedFigure> rows;
    std::ranges::copy_if(figures, std::back_inserter(rows), belongs_here);
    const Coverage c = coverage_of(rows);
    if (c.rows == 0) return;
    any = true;
    text +=
        fmt::format("| {} | {} | {} | {} |\n", title, c.rows, percent(c.fraction()), percent(c.median_half_width));
  };
  for (const FigureName& name : figure_names)
    line(name.title, [&](const auto& f) { return f.figure == name.figure && !f.saturated; });
  line("all of these", [](const auto& f) { return !f.saturated; });
  line("overloaded stages", [](const auto& f) { return f.saturated; });
  return any ? "\n" + text : "";
}

/// Was every server with too much to do told from those without?
std::string verdicts(std::span<const ComparedFigure> figures) {
  std::int64_t right[2] = {};
  std::int64_t all[2] = {};
  for (const ComparedFigure& f : figures) {
    if (f.figure != ServerFigure::e2e_mean || !f.forecast) continue;
    ++all[f.saturated];
    right[f.saturated] += f.said_saturated == f.saturated ? 1 : 0;
  }
  return fmt::format("\nVerdict \"saturated\": {} of {} overloaded stages, and rightly not on {} of {} others.\n",
                     right[1], all[1], right[0], all[0]);
}

std::string rows(std::span<const ComparedFigure> figures) {
  std::string text =
      "| server | stage | figure | measured | forecast | 90 % interval | error |\n|---|---|---|---|---|---|---|\n";
  for (const ComparedFigure& f : figures) {
    const std::string forecast = f.forecast ? amount(f.figure, *f.forecast) : "none";
    const std::string interval = f.p05 && f.p95 ? amount(f.figure, *f.p05) + " – " + amount(f.figure, *f.p95) : "–";
    text += fmt::format("| {} | {}{} | {} | {} | {} | {} | {} |\n", f.server, f.stage, f.warm ? "" : " (first)",
                        title_of(f.figure), amount(f.figure, f.measured), forecast, interval,
                        f.error() ? signed_percent(*f.error()) : "–");
  }
  return text;
}

}  // namespace

std::string accuracy_page(std::span<const ComparedFigure> figures, std::span<const ExcludedRow> left_out,
                          const std::string& fitted_on) {
  const std::string missing =
      left_out.empty() ? "" : "\n## Left out\n\nRows without a forecast:\n\n" + left_out_text(left_out);
  return fmt::format("# Forecasts against real servers\n\n{}\n\n{}{}{}\n## Every row\n\n{}{}", fitted_on,
                     medians(figures), verdicts(figures), intervals(figures), rows(figures), missing);
}

}  // namespace servecast
