#include "sim/engine/links/flows.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <utility>

namespace servecast {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double notices_per_s = 1 << 20;
constexpr double clock_error_s = 1e-9;
constexpr double cut_bytes_per_s = 1;  // so that the carrier can tell an end of what is under way, however late

double noticed_s(double clock_s) { return std::ceil((clock_s + clock_error_s) * notices_per_s) / notices_per_s; }

}  // namespace

std::int64_t Flows::start(std::vector<Transfer> transfers, double at_s, Done done) {
  assert(carrier_ && !transfers.empty());
  const std::int64_t group = started_;
  groups_[group] = {.left = static_cast<std::int64_t>(transfers.size()), .done = std::move(done)};
  for (Transfer& transfer : transfers) {
    const double first_byte_s = at_s + transfer.path.latency_s;
    auto& due = transfer.path.links.empty() ? ending_ : beginning_;
    due.push({.at_s = first_byte_s, .flow = started_});
    flows_.emplace(started_++, Flow{.transfer = std::move(transfer), .group = group, .start_s = at_s});
  }
  return group;
}

// The flows of a group have numbers that follow each other.
void Flows::cancel(std::int64_t group, double now_s) {
  if (groups_.erase(group) == 0) return;
  for (auto at = flows_.lower_bound(group); at != flows_.end() && at->second.group == group;) {
    const auto flow = flows_.extract(at++);
    if (!flow.mapped().under_way) continue;
    carrier_->cancel(flow.key());
    for (FlowListener* listener : listeners_) listener->cancelled(flow.mapped().transfer, now_s);
  }
}

double Flows::next_s() const {
  const double begin_s = beginning_.empty() ? infinity : beginning_.top().at_s;
  return ending_.empty() ? begin_s : std::min(begin_s, ending_.top().at_s);
}

void Flows::begin_due(double now_s) {
  while (!beginning_.empty() && beginning_.top().at_s <= now_s) {
    const std::int64_t number = beginning_.top().flow;
    beginning_.pop();
    const auto flow = flows_.find(number);
    if (flow == flows_.end()) continue;
    const Transfer& transfer = flow->second.transfer;
    if (!cut_.empty() && is_cut(transfer.path)) {
      held_up_.push_back(number);
      continue;
    }
    for (FlowListener* listener : listeners_) listener->begins(transfer, now_s);
    flow->second.under_way = true;
    carrier_->begin(number, transfer);
  }
}

bool Flows::is_cut(const Path& path) const {
  return std::ranges::any_of(path.links, [this](std::size_t link) { return cut_.contains(link); });
}

bool Flows::all_cut() const {
  return std::ranges::all_of(flows_, [this](const auto& flow) { return is_cut(flow.second.transfer.path); });
}

void Flows::set_speed(std::size_t link, double bytes_per_s, double now_s) {
  carrier_->set_speed(link, bytes_per_s);
  for (FlowListener* listener : listeners_) listener->set_speed(link, bytes_per_s, now_s);
}

void Flows::cut(std::size_t link, double now_s) {
  cut_.insert(link);
  set_speed(link, cut_bytes_per_s, now_s);
}

// SimGrid bounds a flow for good by the slowest link of its path at its beginning: hence those are held up.
void Flows::mend(std::size_t link, double bytes_per_s, double now_s) {
  cut_.erase(link);
  set_speed(link, bytes_per_s, now_s);
  for (const std::int64_t number : std::exchange(held_up_, {})) beginning_.push({.at_s = now_s, .flow = number});
}

void Flows::ended(const EndedFlow& flow) {
  if (flows_.contains(flow.flow)) ending_.push({.at_s = noticed_s(flow.clock_s), .flow = flow.flow});
}

bool Flows::report_ended(double now_s) {
  bool any = false;
  while (!ending_.empty() && ending_.top().at_s <= now_s) {
    const std::int64_t number = ending_.top().flow;
    ending_.pop();
    if (!flows_.contains(number)) continue;
    end(number, now_s);
    any = true;
  }
  return any;
}

void Flows::end(std::int64_t number, double now_s) {
  const auto flow = flows_.extract(number);
  if (observer_)
    observer_(number, {.transfer = &flow.mapped().transfer, .start_s = flow.mapped().start_s, .end_s = now_s});
  const Transfer& transfer = flow.mapped().transfer;
  if (!transfer.path.links.empty())
    for (FlowListener* listener : listeners_) listener->ended(transfer, now_s);
  const auto group = groups_.find(flow.mapped().group);
  if (--group->second.left > 0) return;
  const Done done = std::move(group->second.done);
  groups_.erase(group);
  done(now_s);
}

}  // namespace servecast
