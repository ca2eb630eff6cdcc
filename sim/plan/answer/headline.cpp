#include "sim/plan/answer/headline.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "sim/plan/judge/hour_cost.h"
#include "sim/plan/report/plan_report.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

std::string month_text(double usd_per_month) { return human::usd(usd_per_month) + " per month"; }

/// "$25,600 per month ($24,100 to $27,900)".
std::string cost_text(const PlanAnswer& a) {
  std::string text = month_text(a.usd_per_month);
  if (!a.usd_per_month_low || !a.usd_per_month_high) return text;
  if (*a.usd_per_month_low == *a.usd_per_month_high && !a.high_is_open) return text + " (the same in every draw)";
  return text + fmt::format(" ({} to {}{})", human::usd(*a.usd_per_month_low), a.high_is_open ? "more than " : "",
                            human::usd(*a.usd_per_month_high));
}

std::string carried_text(const PlanAnswer& a) {
  std::string text;
  if (a.requests_per_s) text += fmt::format(", carries {} requests/s", human::number(*a.requests_per_s));
  if (!a.head_room_factor) return text;
  return text + fmt::format(" with {}{:.2f} x head-room", a.binding.empty() ? "at least " : "", *a.head_room_factor);
}

std::string next_best_text(const PlanReport& report) {
  const auto next = std::ranges::find_if(report.kinds, [&](const PlanKind& kind) {
    return kind.design && *kind.design != report.answers.front().design;
  });
  if (next == report.kinds.end()) return "";
  return fmt::format("; next best: {}, {}", next->machines, human::usd(*next->usd_per_month));
}

std::string front_text(const PlanReport& report) {
  const auto [lowest, highest] = std::ranges::minmax(report.answers, {}, &PlanAnswer::usd_per_month);
  return fmt::format("{} designs that no other one beats, from {} to {} per month.", report.answers.size(),
                     human::usd(lowest.usd_per_month), human::usd(highest.usd_per_month));
}

/// The design of a kind that says most: the best that keeps its promises, else the one that came closest.
const DesignResult& speaks_for(const std::vector<const DesignResult*>& designs) {
  const auto key = [](const DesignResult* d) {
    const bool cannot = d->verdict == Verdict::impossible || d->verdict == Verdict::over_budget;
    return std::tuple(d->verdict == Verdict::not_needed, cannot, d->verdict == Verdict::bound, d->miss);
  };
  return **std::ranges::min_element(designs, {}, key);
}

PlanKind kind_row(const Study& study, const SearchResult& found, const std::string& kind,
                  const std::vector<const DesignResult*>& designs) {
  PlanKind row{.gpus = kind, .designs = static_cast<std::int64_t>(designs.size())};
  std::vector<std::size_t> answers = found.best;
  answers.insert(answers.end(), found.next_best.begin(), found.next_best.end());
  for (const std::size_t i : answers) {
    const DesignResult& d = found.designs[i];
    if (d.sized.kinds != kind || !d.best_estimate) continue;
    row.design = d.sized.design.index;
    row.settings = {words(study, d.sized.design)};
    row.machines = d.sized.machines.words();
    row.usd_per_hour = hour_cost(study, d.sized, *d.best_estimate).usd();
    row.usd_per_month = *row.usd_per_hour * hours_per_month;
    row.says = d.why;
    return row;
  }
  const DesignResult& closest = speaks_for(designs);
  row.says =
      fmt::format("{} {}", words(study, closest.sized.design),
                  verdict_sentence(std::string(word_of(closest.verdict)), closest.why, closest.kept, closest.draws));
  return row;
}

struct Sentence {
  std::string_view verdict;
  std::string_view says;
  bool counts_draws;
};
constexpr std::array<Sentence, 10> sentences{{
    {"chosen", "is the answer", true},
    {"front", "is beaten by no other design", false},
    {"keeps", "keeps its promises and is no better than the answer", true},
    {"undecided", "may keep its promises or not: the draws do not tell", true},
    {"breaks", "breaks its promise", true},
    {"dominated", "is beaten by another design", false},
    {"bound", "cannot keep its promise even on idle machines", false},
    {"impossible", "cannot be built", false},
    {"over_budget", "breaks a budget", false},
    {"not_needed", "was not simulated to the end", false},
}};

}  // namespace

std::string verdict_sentence(const std::string& verdict, const std::string& why, std::int64_t kept,
                             std::int64_t draws) {
  const Sentence& sentence = *std::ranges::find(sentences, std::string_view(verdict), &Sentence::verdict);
  std::string text(sentence.says);
  if (sentence.counts_draws && draws > 1) text += fmt::format(" (kept in {} of {} draws)", kept, draws);
  return why.empty() ? text : text + ": " + why;
}

std::vector<PlanKind> kinds_of(const Study& study, const SearchResult& found) {
  std::map<std::string, std::vector<const DesignResult*>> by_kind;
  for (const DesignResult& d : found.designs) by_kind[d.sized.kinds].push_back(&d);
  std::vector<PlanKind> rows;
  for (const auto& [kind, designs] : by_kind) rows.push_back(kind_row(study, found, kind, designs));
  std::ranges::stable_sort(rows, {},
                           [](const PlanKind& row) { return std::pair(!row.design, row.usd_per_hour.value_or(0)); });
  return rows;
}

std::string headline(const Study& study, const PlanReport& report) {
  if (report.answers.empty()) return "";
  if (study.spec.goal.starts_with("pareto")) return front_text(report);
  const PlanAnswer& a = report.answers.front();
  return fmt::format("{}, {}{}{}.", a.machines, cost_text(a), carried_text(a), next_best_text(report));
}

}  // namespace servecast
