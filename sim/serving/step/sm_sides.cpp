#include "sim/serving/step/sm_sides.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace servecast {
namespace {

/// Nearest rank.
double percentile(std::vector<double>& values, double percent) {
  const double rank = std::ceil(percent / 100 * static_cast<double>(values.size()));
  const auto nth = values.begin() + static_cast<std::ptrdiff_t>(std::max(1.0, rank)) - 1;
  std::ranges::nth_element(values, nth);
  return *nth;
}

}  // namespace

StageTime SmSides::start(std::size_t stage, Side side, const StageTime& full, bool other_runs, double now_s) {
  if (coming_ && coming_->ready_s <= now_s) {
    shares_ = coming_->to;
    coming_.reset();
    switches_ += 1;
  }
  StageSteps& steps = stages_[stage];
  const bool decodes = side == Side::decode;
  SharedStep& mine = decodes ? steps.decode : steps.prefill;
  mine = {.full = full, .share = decodes ? shares_.decode : shares_.prefill};
  if (!other_runs) return at_share(full, mine.share);
  return beside(mine, decodes ? steps.prefill : steps.decode);
}

double SmSides::beside_until_s(std::size_t stage, double end_s) {
  double& busy_until_s = stages_[stage].busy_until_s;
  return std::exchange(busy_until_s, std::max(busy_until_s, end_s));
}

void SmSides::prompts_started(std::int64_t prompts, double full_s) {
  window_.prompts += prompts;
  window_.prompts_s += full_s;
}

void SmSides::first_token(double ttft_s) {
  if (partition_->window_steps() > 0) window_.ttft_s.push_back(ttft_s);
}

void SmSides::finished(double tpot_s) {
  if (partition_->window_steps() > 0) window_.tpot_s.push_back(tpot_s);
}

void SmSides::ended(double now_s) {
  const std::int64_t steps = partition_->window_steps();
  if (steps == 0 || ++window_.steps < steps) return;
  const SmWindow window = seen(now_s);
  window_ = {.from_s = now_s};
  if (coming_) return;
  const SmShares wanted = partition_->next(shares_, window);
  if (wanted != shares_) coming_ = Switch{.ready_s = now_s + partition_->switch_s(), .to = wanted};
}

SmWindow SmSides::seen(double now_s) {
  SmWindow window{.requests_per_s = static_cast<double>(window_.arrivals) / (now_s - window_.from_s)};
  if (window_.prompts > 0) window.prompt_s = window_.prompts_s / static_cast<double>(window_.prompts);
  if (!window_.ttft_s.empty()) window.ttft_s = percentile(window_.ttft_s, partition_->percentile());
  if (!window_.tpot_s.empty()) window.tpot_s = percentile(window_.tpot_s, partition_->percentile());
  return window;
}

}  // namespace servecast
