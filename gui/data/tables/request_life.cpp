#include "gui/data/tables/request_life.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "gui/data/report/detail.h"
#include "gui/data/report/requests.h"

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

/// Its prompt is computed: for another replica, or with its first token.
double prompt_end_s(const Requests& r, std::size_t row) {
  const bool handed_over = !r.prompt_end_s.empty() && !std::isnan(r.prompt_end_s[row]);
  return handed_over ? r.prompt_end_s[row] : r.first_token_s[row];
}

/// The KV arrives where it is decoded; absent where it did not move, or moved as it decoded.
double kv_received_s(const Requests& r, std::size_t row) {
  return r.hand_over_s.empty() ? NAN : prompt_end_s(r, row) + r.hand_over_s[row];
}

/// Goes through a request's steps, replica by replica.
class StepWalk {
 public:
  StepWalk(const Requests& r, std::size_t row, const Steps& steps, RequestLife& life)
      : steps_(steps),
        life_(life),
        id_(static_cast<std::int64_t>(r.request_id[row])),
        last_s_(std::isnan(r.finish_s[row]) ? INFINITY : r.finish_s[row]),
        at_s_(r.scheduled_s[row]),
        prompt_left_(r.prompt_tokens[row] - (r.cached_tokens.empty() ? 0 : r.cached_tokens[row])) {}

  void go_on(double replica) {
    bool others_ran = false;  // since the last step that worked on it
    for (const std::size_t step : steps_between(steps_, replica, at_s_, last_s_)) {
      const std::vector<StepShare> members = members_of(steps_, step);
      const auto share = std::ranges::find(members, id_, &StepShare::request);
      if (share == members.end())
        others_ran = true;
      else
        add(step, share->tokens, std::exchange(others_ran, false));
    }
  }
  void wait_for_kv(double kv_received_s) {
    add_part(life_.parts, LifeKind::hand_over, at_s_, kv_received_s);
    if (!std::isnan(kv_received_s)) at_s_ = kv_received_s;
  }

 private:
  // The moment between two batches belongs to the work; only steps without it make a stall.
  void add(std::size_t step, std::int64_t tokens, bool others_ran) {
    const LifeKind kind = prompt_left_ > 0 || tokens > 1 ? LifeKind::prefill : LifeKind::decode;
    const LifeKind before = life_.steps.empty() ? LifeKind::queue : others_ran ? LifeKind::stall : kind;
    prompt_left_ -= static_cast<double>(tokens);
    add_part(life_.parts, before, at_s_, steps_.start_s[step]);
    add_part(life_.parts, kind, steps_.start_s[step], steps_.end_s[step]);
    life_.steps.push_back({step, tokens});
    at_s_ = steps_.end_s[step];
  }

  const Steps& steps_;
  RequestLife& life_;
  std::int64_t id_;
  double last_s_;
  double at_s_;
  double prompt_left_;
};

void add_steps(const Requests& r, std::size_t row, const Steps& steps, RequestLife& life) {
  StepWalk walk(r, row, steps, life);
  walk.go_on(r.replica[row]);
  if (life.steps.empty() || r.decode_replica.empty() || std::isnan(r.decode_replica[row])) return;
  walk.wait_for_kv(kv_received_s(r, row));
  walk.go_on(r.decode_replica[row]);
}

/// What comes before the first step of the LLM call that gave the answer; all there is where a gateway answered
/// itself.
void add_wait(const Requests& r, std::size_t row, RequestLife& life) {
  const double until_s =
      std::isnan(r.scheduled_s[row]) && !r.gateway_s.empty() ? r.finish_s[row] : r.scheduled_s[row];
  const double gateway_s = r.gateway_s.empty() || std::isnan(r.gateway_s[row]) ? 0 : r.gateway_s[row];
  const double through_s = std::min(r.arrival_s[row] + gateway_s, until_s);
  const bool again = !r.llm_calls.empty() && r.llm_calls[row] > 1;
  add_part(life.parts, LifeKind::gateway, r.arrival_s[row], through_s);
  add_part(life.parts, again ? LifeKind::earlier_passes : LifeKind::queue, through_s, until_s);
}

}  // namespace

RequestLife life_of(const Requests& r, std::size_t row, const Steps* steps) {
  RequestLife life;
  add_wait(r, row, life);
  if (steps != nullptr && !std::isnan(r.scheduled_s[row])) add_steps(r, row, *steps, life);
  if (life.steps.empty()) {
    const double computed_s = prompt_end_s(r, row);
    add_part(life.parts, LifeKind::prefill, r.scheduled_s[row], computed_s);
    const double received_s = kv_received_s(r, row);
    add_part(life.parts, LifeKind::hand_over, computed_s, received_s);
    add_part(life.parts, LifeKind::decode, std::isnan(received_s) ? computed_s : received_s, r.finish_s[row]);
  }
  return life;
}

}  // namespace servecast::gui
