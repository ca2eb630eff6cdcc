#include "sim/plan/report/plan_tables_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "sim/plan/report/plan_report.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

template <class Format>
std::string or_none(const std::optional<double>& value, Format format, const char* none = "-") {
  return value ? format(*value) : none;
}

std::string one_line(const std::vector<std::string>& all) {
  std::string text;
  for (const std::string& word : all) text += (text.empty() ? "" : " ") + word;
  return text;
}

std::string growth_text(const WrongGrowth& wrong) {
  const std::string much = fmt::format("growth {} {}: ", human::percent(std::abs(wrong.growth_error_fraction)),
                                       wrong.growth_error_fraction < 0 ? "smaller" : "larger");
  if (!wrong.usd || !wrong.best_usd) return much + wrong.says;
  return much + fmt::format("{} in all, {} more than had it been known", human::usd(*wrong.usd),
                            human::usd(std::max(0.0, *wrong.usd - *wrong.best_usd)));
}

std::string together_text(const PlanIdea& idea) {
  if (!idea.sum_usd_per_month || !idea.saved_usd_per_month) return "";
  const double over = *idea.saved_usd_per_month - *idea.sum_usd_per_month;
  const double close = 0.005 * std::abs(*idea.sum_usd_per_month);
  return over > close ? "more than the sum" : over < -close ? "less than the sum" : "as the sum";
}

}  // namespace

std::string horizon_text(const PlanReport& report, std::size_t width) {
  if (!report.horizon_says.empty()) return "\nMONTHS\n" + wrapped("  " + report.horizon_says, width, 2) + "\n";
  if (report.months.empty()) return "";
  TextTable table(4);
  table.row({"month", "design", "machines", "terms", "requests/s", "cost"});
  for (const PlanMonth& month : report.months)
    table.row({std::to_string(month.month), one_line(month.settings), month.machines, month.terms,
               or_none(month.requests_per_s, human::number), human::usd(month.usd)});
  std::string text = "\nMONTHS\n" + table.text(2, any_width);
  text += fmt::format("  in all: {}\n", human::usd(report.horizon_usd.value_or(0)));
  if (report.later_usd > 0)
    text += wrapped(fmt::format("  commitments that outlast the horizon: {} more after it, needed or not",
                                human::usd(report.later_usd)),
                    width, 4) +
            "\n";
  text += wrapped("  the first month's design, held: " + (report.first_design_breaks.empty()
                                                              ? "keeps every promise to the end"
                                                              : "breaks in " + report.first_design_breaks),
                  width, 4) +
          "\n";
  for (const WrongGrowth& wrong : report.wrong_growth) text += wrapped("  " + growth_text(wrong), width, 4) + "\n";
  return text;
}

std::string ideas_text(const PlanReport& report, std::size_t width) {
  if (report.ideas.empty()) return "";
  const bool ranges =
      std::ranges::any_of(report.ideas, [](const PlanIdea& i) { return i.usd_per_month_low.has_value(); });
  TextTable table(2);
  const auto row = [&](std::vector<std::string> before, std::vector<std::string> range,
                       const std::vector<std::string>& after) {
    if (ranges) before.insert(before.end(), range.begin(), range.end());
    before.insert(before.end(), after.begin(), after.end());
    table.row(std::move(before));
  };
  row({"option", "machines", "per month"}, {"from", "to"}, {"saves", "points lost", "together"});
  std::string notes;
  for (const PlanIdea& idea : report.ideas) {
    row({idea.name, idea.design ? idea.machines : "none", or_none(idea.usd_per_month, human::usd)},
        {or_none(idea.usd_per_month_low, human::usd), or_none(idea.usd_per_month_high, human::usd)},
        {or_none(idea.saved_usd_per_month, human::usd),
         or_none(idea.lost_points, human::number, idea.design ? "not published" : "-"), together_text(idea)});
    if (!idea.says.empty()) notes += wrapped("  " + idea.name + ": " + idea.says, width, 4) + "\n";
    if (!idea.rests_on.empty()) notes += wrapped("  " + idea.name + " rests on: " + idea.rests_on, width, 4) + "\n";
  }
  return "\nOPTIONS, EACH AT ITS OWN CHEAPEST DESIGN\n" + table.text(2, any_width) + notes;
}

}  // namespace servecast
