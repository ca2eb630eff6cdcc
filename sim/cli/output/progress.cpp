#include "sim/cli/output/progress.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/engine/run/run.h"
#include "sim/plan/runs/forked_evaluator.h"
#include "sim/report/layout/human.h"

namespace servecast {
namespace {

constexpr double bar_interval_s = 0.1;
constexpr double json_interval_s = 0.2;
constexpr int bar_width = 30;
constexpr const char* clear_line = "\r\x1b[K";

/// Share of the work done: what was read, less the requests that still run.
double fraction_done(const Progress& p) {
  const double finished = p.arrived > 0 ? static_cast<double>(p.finished) / static_cast<double>(p.arrived) : 0;
  return std::clamp(p.fraction_read * finished, 0.0, 1.0);
}

double fraction_done(const RunsProgress& p) {
  return p.total > 0 ? static_cast<double>(p.done) / static_cast<double>(p.total) : 1;
}

double fraction_done(const BudgetProgress& p) {
  return p.budget_s > 0 ? std::clamp(p.spent_s / p.budget_s, 0.0, 1.0) : 1;
}

/// At the speed so far; none before anything is done.
std::optional<double> time_left_s(const Progress&, double fraction, double elapsed_s) {
  if (fraction <= 0) return std::nullopt;
  return elapsed_s * (1 - fraction) / fraction;
}

/// What was known already took no time and says nothing of what is left.
std::optional<double> time_left_s(const RunsProgress& p, double /*fraction*/, double elapsed_s) {
  if (p.simulated == 0) return std::nullopt;
  return elapsed_s * static_cast<double>(p.total - p.done) / static_cast<double>(p.simulated);
}

std::optional<double> time_left_s(const BudgetProgress& p, double /*fraction*/, double /*elapsed_s*/) {
  return std::max(p.budget_s - p.spent_s, 0.0);
}

std::string words_of(const BudgetProgress& p) { return p.words; }

std::string words_of(const Progress& p) { return human::count(p.arrived) + " requests"; }

std::string words_of(const RunsProgress& p) {
  return fmt::format("{} of {} simulations", human::count(static_cast<std::int64_t>(p.done)),
                     human::count(static_cast<std::int64_t>(p.total)));
}

nlohmann::ordered_json members_of(const Progress& p) {
  return {{"simulated_s", p.simulated_s}, {"arrived", p.arrived}, {"finished", p.finished}};
}

nlohmann::ordered_json members_of(const RunsProgress& p) { return {{"done", p.done}, {"total", p.total}}; }

nlohmann::ordered_json members_of(const BudgetProgress& p) {
  return {{"spent_s", p.spent_s}, {"budget_s", p.budget_s}};
}

/// One line for a program that watches.
template <class AnyProgress>
std::string json_line(const AnyProgress& progress, double fraction, std::optional<double> left_s) {
  nlohmann::ordered_json line{{"fraction", fraction}};
  line.update(members_of(progress));
  line["eta_s"] = nullptr;
  if (left_s) line["eta_s"] = *left_s;
  return line.dump() + "\n";
}

/// In whole seconds: what is left is not known better.
std::string time_words(double left_s) {
  constexpr double minute_s = 60;
  return left_s < minute_s ? fmt::format("{:.0f} s", std::ceil(left_s)) : human::span(std::ceil(left_s));
}

}  // namespace

void ProgressArguments::declare(CLI::App& app) {
  add_choice(app, "--progress", word, "progress", {"auto", "bar", "json", "none"},
             "On stderr; auto: a bar where that is a terminal");
}

ProgressStyle ProgressArguments::style(const Console& console) const {
  const std::map<std::string, ProgressStyle> styles{
      {"auto", console.err_is_terminal ? ProgressStyle::bar : ProgressStyle::none},
      {"bar", ProgressStyle::bar},
      {"json", ProgressStyle::json},
      {"none", ProgressStyle::none}};
  return styles.at(word);
}

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgressView::ProgressView(ProgressStyle style, std::ostream& out, std::function<double()> clock_s)
    : style_(style), out_(out), clock_s_(std::move(clock_s)), start_s_(clock_s_()) {}

template <class AnyProgress>
void ProgressView::show_any(const AnyProgress& progress) {
  if (style_ == ProgressStyle::none) return;
  const double now_s = clock_s_();
  const double interval_s = style_ == ProgressStyle::bar ? bar_interval_s : json_interval_s;
  if (shown_s_ && now_s - *shown_s_ < interval_s) return;
  shown_s_ = now_s;
  fraction_ = std::max(fraction_, fraction_done(progress));
  const std::optional<double> left_s = time_left_s(progress, fraction_, now_s - start_s_);
  style_ == ProgressStyle::bar ? draw(words_of(progress), left_s) : write(json_line(progress, fraction_, left_s));
}

template <class AnyProgress>
void ProgressView::finish_any(const AnyProgress& progress) {
  if (style_ == ProgressStyle::json) write(json_line(progress, 1, 0));
  erase();
}

template void ProgressView::show_any(const Progress&);
template void ProgressView::show_any(const RunsProgress&);
template void ProgressView::show_any(const BudgetProgress&);
template void ProgressView::finish_any(const Progress&);
template void ProgressView::finish_any(const RunsProgress&);
template void ProgressView::finish_any(const BudgetProgress&);

void ProgressView::erase() {
  if (style_ == ProgressStyle::bar && shown_s_) out_ << clear_line << std::flush;
  shown_s_.reset();
}

void ProgressView::draw(const std::string& words, std::optional<double> left_s) {
  const int full = static_cast<int>(fraction_ * bar_width);
  out_ << clear_line
       << fmt::format("[{}{}] {:3.0f} %  {}", std::string(static_cast<std::size_t>(full), '#'),
                      std::string(static_cast<std::size_t>(bar_width - full), '.'), fraction_ * 100, words);
  if (left_s) out_ << ", " << time_words(*left_s) << " left";
  out_ << std::flush;
}

void ProgressView::write(const std::string& line) { out_ << line << std::flush; }

}  // namespace servecast
