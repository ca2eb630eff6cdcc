#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/report/plan_report.h"
#include "sim/plan/report/plan_tables_text.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

constexpr std::size_t most_rows = 10;

template <class Format>
std::string or_dash(const std::optional<double>& value, Format format) {
  return value ? format(*value) : "-";
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string head_room_text(const PlanAnswer& a) {
  if (a.binding.empty())
    return fmt::format("traffic may grow {:.2f} times at least; no more was tried", *a.head_room_factor);
  const std::string to =
      a.requests_per_s ? fmt::format(" to {} requests/s", human::number(*a.requests_per_s * *a.head_room_factor))
                       : "";
  return fmt::format("traffic may grow {:.2f} times{}; then it breaks {}", *a.head_room_factor, to, a.binding);
}

std::string answer_text(const PlanAnswer& a, std::size_t width) {
  std::string text = "\n" + wrapped(joined(a.settings), width, 2) + "\n";
  const auto item = [&](std::string_view name, const std::string& value) {
    text += wrapped(fmt::format("  {:<14}{}", name, value), width, 16) + "\n";
  };
  item("machines", a.machines);
  item("cost",
       fmt::format("{} per month: {}/h, {} per request, {} per million output tokens", human::usd(a.usd_per_month),
                   human::usd(a.usd_per_hour), or_dash(a.usd_per_request, human::usd),
                   or_dash(a.usd_per_million_output_tokens, human::usd)));
  if (a.cost_lines.size() > 1)
    for (const CostShare& line : a.cost_lines)
      item("  of that", human::usd(line.usd_per_hour) + "/h for " + line.item);
  if (a.requests_per_s) item("demand", human::number(*a.requests_per_s) + " requests/s");
  if (a.score) item("quality", "expected score " + human::percent(*a.score));
  if (!a.lost_points)
    item("answers", "what the chosen weights lose is not published");
  else if (*a.lost_points > 0)
    item("answers", human::number(*a.lost_points) + " points of a benchmark's score lost");
  if (a.mean_usd_per_request != a.usd_per_request)
    item("over the day",
         fmt::format("{} per request, {} per million output tokens", or_dash(a.mean_usd_per_request, human::usd),
                     or_dash(a.mean_usd_per_million_output_tokens, human::usd)));
  std::string terms;
  for (const TermPrice& t : a.terms)
    terms += fmt::format("{}{} {}/h", terms.empty() ? "" : ", ", t.term, human::usd(t.usd_per_hour));
  item("terms", terms.empty() ? "none on offer" : terms);
  item("power", human::watts(a.mean_w));
  for (const PromiseFigures& p : a.promises)
    item("promise",
         fmt::format("{}: {}{}", p.promise, or_dash(p.value, p.text),
                     p.p05 && p.p95 ? fmt::format(" ({} to {} over draws)", p.text(*p.p05), p.text(*p.p95)) : ""));
  if (a.head_room_factor) item("head-room", head_room_text(a));
  return text;
}

std::string sensitivity_table(const PlanAnswer& a, std::size_t width) {
  if (a.sensitivities.empty()) return "";
  TextTable table(1);
  table.row({"if ...", "cost/h", "per 1M tokens", "TTFT p99", "TPOT p99", "kept"});
  for (const Sensitivity& s : a.sensitivities)
    table.row({fmt::format("{} x {:.2f}", s.input, s.factor), or_dash(s.usd_per_hour, human::usd),
               or_dash(s.usd_per_million_output_tokens, human::usd), or_dash(s.ttft_p99_s, human::seconds),
               or_dash(s.tpot_p99_s, human::seconds), s.kept ? "yes" : "no"});
  return "\n" + table.text(2, width);
}

/// Those that were simulated first, then by cost.
std::vector<const PlanDesign*> runners_up(const PlanReport& report) {
  std::vector<const PlanDesign*> all;
  for (const PlanDesign& d : report.designs)
    if (d.verdict != "chosen" && !d.front && d.draws > 0) all.push_back(&d);
  std::ranges::stable_sort(all, std::greater<>(), [](const PlanDesign* d) {
    return std::pair(static_cast<double>(d->kept_draws) / static_cast<double>(d->draws),
                     -d->usd_per_hour.value_or(0));
  });
  if (all.size() > most_rows) all.resize(most_rows);
  return all;
}

std::string kinds_table(const PlanReport& report, std::size_t width) {
  if (report.kinds.empty() || report.answers.empty()) return "";
  TextTable table(3);
  table.row({"GPU", "machines", "design", "per month", "per hour"});
  std::string none;
  for (const PlanKind& kind : report.kinds) {
    const std::string name = kind.gpus.empty() ? "outside APIs" : kind.gpus;
    table.row({name, kind.design ? kind.machines : "none", joined(kind.settings),
               or_dash(kind.usd_per_month, human::usd), or_dash(kind.usd_per_hour, human::usd)});
    if (!kind.design) none += wrapped(fmt::format("  {}: {}", name, kind.says), width, 4) + "\n";
  }
  return "\nBY KIND OF GPU\n" + table.text(2, std::max(width, any_width)) + none;
}

std::string demand_text(const PlanReport& report) {
  std::vector<std::string> parts;
  if (report.requests_per_s) parts.push_back(human::number(*report.requests_per_s) + " requests/s");
  const auto text_of = [](const std::optional<double>& rate) { return rate ? human::number(*rate) : ""; };
  if (report.mean_requests_per_s && text_of(report.mean_requests_per_s) != text_of(report.requests_per_s))
    parts.push_back(text_of(report.mean_requests_per_s) + " in the mean over the day");
  if (report.rate_factor != 1)
    parts.push_back(fmt::format("{:.3g} times the base scenario's rate", report.rate_factor));
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "demand: " : ", ") + part;
  return text.empty() ? "" : text + "\n";
}

}  // namespace

std::string plan_text(const PlanReport& report, std::size_t width) {
  std::string text = report.headline.empty() ? "" : wrapped(report.headline, width, 0) + "\n\n";
  text += wrapped(fmt::format("{}: {}", report.name, report.goal), width, 0) + "\n" + demand_text(report);
  text += kinds_table(report, width) + ideas_text(report, width) + horizon_text(report, width);
  const std::size_t shown = std::min(report.answers.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i)
    text += answer_text(report.answers[i], width) + sensitivity_table(report.answers[i], width);
  if (shown < report.answers.size()) text += fmt::format("\n... and {} more\n", report.answers.size() - shown);
  const std::vector<const PlanDesign*> others = runners_up(report);
  if (!others.empty()) text += "\nRUNNERS-UP\n";
  for (const PlanDesign* d : others)
    text +=
        wrapped(fmt::format("  {} at {}/h {}", joined(d->settings), or_dash(d->usd_per_hour, human::usd), d->says),
                width, 4) +
        "\n";
  text += "\nCERTIFICATE\n" + wrapped("  " + report.certificate.text, width, 2) + "\n";
  for (const std::string& open : report.certificate.not_ruled_out)
    text += wrapped("  not ruled out: " + open, width, 4) + "\n";
  return text;
}

}  // namespace servecast
