#include "sim/plan/horizon/terms.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace servecast {
namespace {

/// From a month to the one after it ends; or, without an offer, back: more is held than is needed.
struct Arc {
  std::size_t from = 0;
  std::size_t to = 0;
  double usd = 0;
  double later_usd = 0;  // after the last month
  const TermOffer* offer = nullptr;
  std::int64_t flow = 0;
};

/// Months are the gaps between nodes: what flows over the gap, less what flows back, is what the month needs.
class MonthFlow {
 public:
  MonthFlow(const std::vector<std::int64_t>& needed, const std::vector<TermOffer>& offers, bool count_later)
      : lacks_(needed.size() + 1) {
    for (std::size_t m = 0; m < needed.size(); ++m) {
      lacks_[m] += needed[m];
      lacks_[m + 1] -= needed[m];
      arcs_.push_back({.from = m + 1, .to = m});
      for (const TermOffer& offer : offers) {
        const std::size_t end = m + static_cast<std::size_t>(offer.months);
        const std::size_t to = std::min(end, needed.size());
        const double later_usd = offer.idle_usd_per_month * static_cast<double>(end - to);
        arcs_.push_back({.from = m,
                         .to = to,
                         .usd = offer.usd_per_month * static_cast<double>(to - m) + (count_later ? later_usd : 0),
                         .later_usd = later_usd,
                         .offer = &offer});
      }
    }
  }

  const std::vector<Arc>& solved() {
    for (std::size_t from = 0; from < lacks_.size(); ++from)
      while (lacks_[from] > 0) push(from);
    return arcs_;
  }

 private:
  struct Step {
    double usd = std::numeric_limits<double>::infinity();
    Arc* arc = nullptr;  // that leads here
    bool back = false;   // against it: takes flow off
  };

  /// Bellman and Ford's, since arcs against the flow have negative costs.
  std::vector<Step> cheapest_ways(std::size_t from) {
    constexpr double rounding_usd = 1e-9;
    std::vector<Step> steps(lacks_.size());
    steps[from].usd = 0;
    for (bool better = true; better;) {
      better = false;
      const auto try_step = [&](Arc& arc, std::size_t a, std::size_t b, double usd, bool back) {
        if (steps[a].usd + usd >= steps[b].usd - rounding_usd) return;
        steps[b] = {steps[a].usd + usd, &arc, back};
        better = true;
      };
      for (Arc& arc : arcs_) {
        try_step(arc, arc.from, arc.to, arc.usd, false);
        if (arc.flow > 0) try_step(arc, arc.to, arc.from, -arc.usd, true);
      }
    }
    return steps;
  }

  void push(std::size_t from) {
    const std::vector<Step> steps = cheapest_ways(from);
    std::optional<std::size_t> to;
    for (std::size_t node = 0; node < lacks_.size(); ++node)
      if (lacks_[node] < 0 && (!to || steps[node].usd < steps[*to].usd)) to = node;
    std::int64_t amount = std::min(lacks_[from], -lacks_[*to]);
    each_step(steps, from, *to, [&](const Step& taken) {
      if (taken.back) amount = std::min(amount, taken.arc->flow);
    });
    each_step(steps, from, *to, [&](const Step& taken) { taken.arc->flow += taken.back ? -amount : amount; });
    lacks_[from] -= amount;
    lacks_[*to] += amount;
  }

  template <class Each>
  static void each_step(const std::vector<Step>& steps, std::size_t from, std::size_t to, Each each) {
    for (std::size_t node = to; node != from; node = steps[node].back ? steps[node].arc->to : steps[node].arc->from)
      each(steps[node]);
  }

  std::vector<Arc> arcs_{};
  std::vector<std::int64_t> lacks_;  // by node: flow that has to leave it; below 0: that has to come
};

}  // namespace

TermPlan cheapest_terms(const std::vector<std::int64_t>& needed, const std::vector<TermOffer>& offers,
                        bool count_later) {
  TermPlan plan{.held = std::vector<std::map<std::string, std::int64_t>>(needed.size())};
  MonthFlow flow(needed, offers, count_later);
  for (const Arc& arc : flow.solved()) {
    if (arc.offer == nullptr || arc.flow == 0) continue;
    plan.usd += arc.usd * static_cast<double>(arc.flow);
    plan.later_usd += arc.later_usd * static_cast<double>(arc.flow);
    for (std::size_t m = arc.from; m < arc.to; ++m) plan.held[m][arc.offer->term] += arc.flow;
  }
  return plan;
}

double cost_of_following(const TermPlan& plan, const std::vector<std::int64_t>& needed,
                         const std::vector<TermOffer>& offers) {
  double monthly_usd = std::numeric_limits<double>::infinity();
  for (const TermOffer& offer : offers)
    if (offer.months == 1) monthly_usd = std::min(monthly_usd, offer.usd_per_month);
  double usd = 0;
  for (std::size_t m = 0; m < needed.size(); ++m) {
    std::int64_t committed = 0;
    for (const TermOffer& offer : offers) {
      const auto held = plan.held[m].find(offer.term);
      if (offer.months == 1 || held == plan.held[m].end()) continue;
      committed += held->second;
      usd += offer.usd_per_month * static_cast<double>(held->second);
    }
    if (needed[m] > committed) usd += monthly_usd * static_cast<double>(needed[m] - committed);
  }
  return usd;
}

}  // namespace servecast
