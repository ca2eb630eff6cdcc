#include <fmt/format.h>

#include <algorithm>

#include "sim/plan/report/plan_report.h"
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

std::string counted(std::int64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s");
}

std::string head_room_text(const PlanAnswer& a) {
  if (a.binding.empty())
    return fmt::format("traffic may grow {:.2f} times at least; no more was tried", *a.head_room_factor);
  return fmt::format("traffic may grow {:.2f} times; then breaks {}", *a.head_room_factor, a.binding);
}

std::string answer_text(const PlanAnswer& a, std::size_t width) {
  std::string text = "\n" + wrapped(joined(a.settings), width, 2) + "\n";
  const auto item = [&](std::string_view name, const std::string& value) {
    text += wrapped(fmt::format("  {:<14}{}", name, value), width, 16) + "\n";
  };
  item("machines", fmt::format("{} on {}{}", counted(a.gpus, "GPU"), counted(a.nodes, "node"),
                               a.spare_nodes > 0 ? fmt::format(" and {} spare", a.spare_nodes) : ""));
  item("cost",
       fmt::format("{}/h, {} per request, {} per million output tokens", human::usd(a.usd_per_hour),
                   or_dash(a.usd_per_request, human::usd), or_dash(a.usd_per_million_output_tokens, human::usd)));
  if (a.outside_usd_per_hour)
    item("of that", human::usd(*a.outside_usd_per_hour) + "/h for stages of the gateway and outside APIs");
  if (a.score) item("quality", "expected score " + human::percent(*a.score));
  if (a.mean_usd_per_request != a.usd_per_request)
    item("over the day",
         fmt::format("{} per request, {} per million output tokens", or_dash(a.mean_usd_per_request, human::usd),
                     or_dash(a.mean_usd_per_million_output_tokens, human::usd)));
  std::string terms;
  for (const TermPrice& t : a.terms)
    terms += fmt::format("{}{} {}/h", terms.empty() ? "" : ", ", t.term, human::usd(t.usd_per_hour));
  item("terms", terms);
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

}  // namespace

std::string plan_text(const PlanReport& report, std::size_t width) {
  std::string text = wrapped(fmt::format("{}: {}", report.name, report.goal), width, 0) + "\n";
  if (report.rate_factor != 1)
    text += fmt::format("demand: {:.3g} times the base scenario's rate\n", report.rate_factor);
  const std::size_t shown = std::min(report.answers.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i)
    text += answer_text(report.answers[i], width) + sensitivity_table(report.answers[i], width);
  if (shown < report.answers.size()) text += fmt::format("\n... and {} more\n", report.answers.size() - shown);
  const std::vector<const PlanDesign*> others = runners_up(report);
  if (!others.empty()) text += "\nRUNNERS-UP\n";
  for (const PlanDesign* d : others)
    text += wrapped(fmt::format("  {} at {}/h: {} ({} of {} draws kept); {}", joined(d->settings),
                                or_dash(d->usd_per_hour, human::usd), d->verdict, d->kept_draws, d->draws, d->why),
                    width, 4) +
            "\n";
  text += "\nCERTIFICATE\n" + wrapped("  " + report.certificate.text, width, 2) + "\n";
  for (const std::string& open : report.certificate.not_ruled_out)
    text += wrapped("  not ruled out: " + open, width, 4) + "\n";
  return text;
}

}  // namespace servecast
