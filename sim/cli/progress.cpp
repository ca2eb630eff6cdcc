#include "sim/cli/progress.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/report/human.h"

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

/// In whole seconds: what is left is not known better.
std::string time_words(double left_s) {
  constexpr double minute_s = 60;
  return left_s < minute_s ? fmt::format("{:.0f} s", std::ceil(left_s)) : human::span(std::ceil(left_s));
}

}  // namespace

double monotonic_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

ProgressView::ProgressView(ProgressStyle style, std::ostream& out, std::function<double()> clock_s)
    : style_(style), out_(out), clock_s_(std::move(clock_s)), start_s_(clock_s_()) {}

void ProgressView::show(const Progress& progress) {
  if (style_ == ProgressStyle::none) return;
  const double now_s = clock_s_();
  const double interval_s = style_ == ProgressStyle::bar ? bar_interval_s : json_interval_s;
  if (shown_s_ && now_s - *shown_s_ < interval_s) return;
  shown_s_ = now_s;
  fraction_ = std::max(fraction_, fraction_done(progress));
  std::optional<double> left_s;
  if (fraction_ > 0) left_s = (now_s - start_s_) * (1 - fraction_) / fraction_;
  style_ == ProgressStyle::bar ? draw(progress, left_s) : write_json(progress, left_s);
}

void ProgressView::finish(const Progress& progress) {
  fraction_ = 1;
  if (style_ == ProgressStyle::json) write_json(progress, 0);
  erase();
}

void ProgressView::erase() {
  if (style_ == ProgressStyle::bar && shown_s_) out_ << clear_line << std::flush;
  shown_s_.reset();
}

void ProgressView::draw(const Progress& progress, std::optional<double> left_s) {
  const int full = static_cast<int>(fraction_ * bar_width);
  out_ << clear_line
       << fmt::format("[{}{}] {:3.0f} %  {} requests", std::string(static_cast<std::size_t>(full), '#'),
                      std::string(static_cast<std::size_t>(bar_width - full), '.'), fraction_ * 100,
                      human::count(progress.arrived));
  if (left_s) out_ << ", " << time_words(*left_s) << " left";
  out_ << std::flush;
}

void ProgressView::write_json(const Progress& progress, std::optional<double> left_s) {
  nlohmann::ordered_json line{{"fraction", fraction_},
                              {"simulated_s", progress.simulated_s},
                              {"arrived", progress.arrived},
                              {"finished", progress.finished},
                              {"eta_s", nullptr}};
  if (left_s) line["eta_s"] = *left_s;
  out_ << line.dump() << "\n" << std::flush;
}

}  // namespace servecast
