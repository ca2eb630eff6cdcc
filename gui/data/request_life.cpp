#include "gui/data/request_life.h"

#include <algorithm>
#include <cmath>

namespace servecast::gui {
namespace {

void add_part(std::vector<LifePart>& parts, LifeKind kind, double from_s, double to_s) {
  if (std::isnan(from_s) || std::isnan(to_s) || to_s <= from_s) return;
  if (!parts.empty() && parts.back().kind == kind && parts.back().to_s >= from_s)
    parts.back().to_s = std::max(parts.back().to_s, to_s);
  else
    parts.push_back({kind, from_s, to_s});
}

/// Steps of a replica that began in [from_s, to_s], in order of time.
std::vector<std::size_t> steps_between(const Steps& steps, double replica, double from_s, double to_s) {
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < steps.size(); ++i)
    if (steps.replica[i] == replica && steps.start_s[i] >= from_s && steps.start_s[i] <= to_s) rows.push_back(i);
  std::ranges::stable_sort(rows, {}, [&](std::size_t row) { return steps.start_s[row]; });
  return rows;
}

void add_steps(const Requests& r, std::size_t row, const Steps& steps, RequestLife& life) {
  const auto id = static_cast<std::int64_t>(r.request_id[row]);
  const double last_s = std::isnan(r.finish_s[row]) ? INFINITY : r.finish_s[row];
  double at_s = r.scheduled_s[row];
  double prompt_left = r.prompt_tokens[row] - (r.cached_tokens.empty() ? 0 : r.cached_tokens[row]);
  bool others_ran = false;  // since the last step that worked on it
  for (const std::size_t step : steps_between(steps, r.replica[row], r.scheduled_s[row], last_s)) {
    const std::vector<StepShare> who = who_was_in(steps, step);
    const auto share = std::ranges::find(who, id, &StepShare::request);
    if (share == who.end()) {
      others_ran = true;
      continue;
    }
    const LifeKind kind = prompt_left > 0 || share->tokens > 1 ? LifeKind::prefill : LifeKind::decode;
    prompt_left -= static_cast<double>(share->tokens);
    // The moment between two batches belongs to the work; only steps without it make a stall.
    const LifeKind before = life.steps.empty() ? LifeKind::queue : others_ran ? LifeKind::stall : kind;
    add_part(life.parts, before, at_s, steps.start_s[step]);
    add_part(life.parts, kind, steps.start_s[step], steps.end_s[step]);
    life.steps.push_back({step, share->tokens});
    at_s = steps.end_s[step];
    others_ran = false;
  }
}

}  // namespace

RequestLife life_of(const Requests& r, std::size_t row, const Steps* steps) {
  RequestLife life;
  add_part(life.parts, LifeKind::queue, r.arrival_s[row], r.scheduled_s[row]);
  if (steps != nullptr && !std::isnan(r.scheduled_s[row])) add_steps(r, row, *steps, life);
  if (life.steps.empty()) {
    add_part(life.parts, LifeKind::prefill, r.scheduled_s[row], r.first_token_s[row]);
    add_part(life.parts, LifeKind::decode, r.first_token_s[row], r.finish_s[row]);
  }
  return life;
}

}  // namespace servecast::gui
