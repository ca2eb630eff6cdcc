// What failures do to links and to the pace of steps, and what they add up to.
#include <fmt/format.h>

#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/failures/failures.h"
#include "sim/engine/links/flows.h"
#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

/// What stands in for the storage of a node without network ports is its disk.
std::vector<std::string> storage_links(const NodeGroups& groups) {
  std::vector<std::string> names;
  for (const NodeGroup& group : groups)
    if (group.node.nics == 0) names.push_back(fmt::format("node{}/nvme", group.first_node));
  if (names.size() < groups.size()) names.emplace_back("storage");
  return names;
}

}  // namespace

/// Without direction.
std::vector<std::string> Failures::links_of(const BreakablePart& part) const {
  using enum BreakablePart::Kind;
  if (part.kind == storage) return storage_links(scenario_.groups);
  if (part.kind == nic) return {fmt::format("node{}/nic{}", part.node, part.number)};
  if (part.kind == trunk) return {Wiring::trunk_name(static_cast<std::size_t>(part.number))};
  if (part.kind == link) return {fmt::format("leaf{}", part.number)};
  const NodeGroup& group = scenario_.groups.of_switch(part.number);
  std::vector<std::string> names;
  for (std::int64_t node = group.first_node; node < group.end_node(); ++node)
    for (std::int64_t nic = 0; nic < group.node.nics; ++nic)
      if (group.switch_of(node) == part.number) names.push_back(fmt::format("node{}/nic{}", node, nic));
  return names;
}

void Failures::set_links(const BreakablePart& part, bool broken, double now_s) {
  for (const std::string& name : links_of(part))
    for (const std::size_t link : wiring_.pair(name)) {
      std::int64_t& times = cut_[link];
      times += broken ? 1 : -1;
      if (times > 1 || (times == 1 && !broken)) continue;
      if (broken)
        flows_.cut(link, now_s);
      else
        flows_.mend(link, wiring_.platform().links[link].bytes_per_s, now_s);
    }
}

// A replica's steps wait for the slowest of its GPUs.
void Failures::set_slow(const PartChange& change, double now_s) {
  const StepPace pace{.step_time_factor = change.slow->step_time_factor,
                      .clock_fraction = change.slow->clock_fraction};
  std::vector<StepPace>& paces = slow_[change.part];
  if (change.begins)
    paces.push_back(pace);
  else
    paces.erase(std::ranges::find(paces, pace));
  for (const ReplicaAt& at : replicas_)
    if (uses(at, change.part)) set_pace(at, now_s);
}

void Failures::set_pace(const ReplicaAt& at, double now_s) {
  if (slow_.empty()) return;
  StepPace slowest;
  for (const auto& [part, paces] : slow_) {
    if (!uses(at, part)) continue;
    for (const StepPace& pace : paces) {
      slowest.step_time_factor = std::max(slowest.step_time_factor, pace.step_time_factor);
      slowest.clock_fraction = std::min(slowest.clock_fraction, pace.clock_fraction);
    }
  }
  cluster_.set_pace(at, slowest, now_s);
}

FailureFacts Failures::facts(double duration_s) const {
  FailureFacts facts{.pools = totals_};
  for (std::size_t i = 0; i < scenario_.groups.size(); ++i) {
    const NodeGroup& group = scenario_.groups[i];
    if (group.spares == 0) continue;
    const Pool& pool = *std::ranges::find(scenario_.pools, i, &Pool::group);
    facts.spares.push_back({.gpus = group.spares * group.node.gpus, .usd_per_gpu_hour = pool.usd_per_gpu_hour()});
  }
  std::map<Kind, KindTotals> kinds = kinds_;
  for (const FailureRateSpec& rate : spec_.rates) kinds.try_emplace(kind_of(rate.part));
  for (const auto& [part, since_s] : broken_since_s_) kinds[part.kind].down_s += std::max(0.0, duration_s - since_s);
  for (const auto& [kind, totals] : kinds)
    facts.parts.push_back({.part = word_of(kind),
                           .parts = static_cast<std::int64_t>(parts(kind).size()),
                           .failures = totals.failures,
                           .down_s = totals.down_s});
  return facts;
}

}  // namespace servecast
