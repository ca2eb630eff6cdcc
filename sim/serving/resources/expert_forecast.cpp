#include "sim/serving/resources/expert_forecast.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

auto is(std::size_t layer, ExpertId expert) {
  return [=](const ExpertLoad& load) { return load.layer == layer && load.expert == expert; };
}

}  // namespace

double ExpertForecast::next_s() const {
  double next_s = infinity;
  for (const OwnLinks& group : links_) next_s = std::min(next_s, group.next_s());
  return next_s;
}

void ExpertForecast::start_wanted() {
  const auto takes = [&](std::size_t group) { return links_[group].has_free_stream(); };
  while (const auto load = take_first(wanted_, links_.size(), takes)) links_[load->group].begin(*load);
}

void ExpertForecast::run_to(double until_s) {
  for (;;) {
    const double at_s = std::min(until_s, next_s());
    for (OwnLinks& group : links_)
      for (const ExpertLoad& load : group.move_to(at_s)) arrived_.push_back({load, at_s});
    now_s_ = at_s;
    start_wanted();
    if (at_s >= until_s) return;
  }
}

void ExpertForecast::to_gate(double before_s) { run_to(now_s_ + before_s); }

bool ExpertForecast::here(std::size_t layer, ExpertId expert) const {
  return std::ranges::any_of(arrived_, is(layer, expert), &Arrival::load);
}

bool ExpertForecast::waits(std::size_t layer, ExpertId expert) const {
  return std::ranges::any_of(wanted_, is(layer, expert));
}

void ExpertForecast::drop(std::size_t layer, ExpertId expert) { std::erase_if(wanted_, is(layer, expert)); }

ExpertForecast::Outlook ExpertForecast::outlook(std::size_t layer, std::size_t experts) const {
  Outlook ahead{.left_s = std::vector(experts, infinity), .link_free_s = std::vector<double>(links_.size())};
  ExpertForecast then = *this;
  then.arrived_.clear();
  then.run_to(infinity);
  for (const Arrival& arrival : then.arrived_) {
    const double left_s = arrival.at_s - now_s_;
    if (arrival.load.layer == layer) ahead.left_s[index(arrival.load.expert)] = left_s;
    ahead.link_free_s[arrival.load.group] = left_s;
  }
  return ahead;
}

void ExpertForecast::compute(const ExpertLayerWork& work, std::size_t layer, const std::vector<double>& visits) {
  const auto counts = [&](const Arrival& arrival, std::size_t group) {
    return arrival.load.layer == layer && arrival.load.group == group && visits[index(arrival.load.expert)] > 0;
  };
  wanted_.insert(wanted_.end(), work.loads.begin(), work.loads.end());
  start_wanted();
  const double gate_s = now_s_;
  double end_s = gate_s + work.host_s;
  for (std::size_t group = 0; group < links_.size(); ++group) {
    const ExpertGroupWork& part = work.groups[group];
    const auto here = [&] {
      return std::ranges::count_if(arrived_, [&](const Arrival& arrival) { return counts(arrival, group); });
    };
    while (here() < part.expected) {
      assert(next_s() < infinity && "the layer waits for a load that is not wanted");
      run_to(next_s());
    }
    double until_s = gate_s + part.resident_s;
    for (const Arrival& arrival : arrived_)
      if (counts(arrival, group)) until_s = std::max(until_s, arrival.at_s) + part.each_s;
    end_s = std::max(end_s, until_s);
  }
  run_to(std::max(end_s, now_s_));
  std::erase_if(arrived_, [&](const Arrival& arrival) { return arrival.load.layer <= layer; });
}

}  // namespace servecast
