#include "sim/engine/failures/failures.h"

#include <algorithm>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/links/flows.h"
#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

Failures::Failures(Scenario& scenario, const Wiring& wiring, Flows& flows, Cluster& cluster)
    : scenario_(scenario),
      spec_(*scenario.spec.failures),
      wiring_(wiring),
      flows_(flows),
      cluster_(cluster),
      lifecycle_(cluster.lifecycle()),
      times_(static_cast<std::uint64_t>(scenario.spec.seed)) {
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    totals_.push_back({{.pool = scenario.pools[pool].spec.name}});
    first_.push_back(replicas_.size());
    for (std::size_t replica = 0; replica < scenario.pools[pool].places.size(); ++replica)
      replicas_.push_back({pool, replica});
  }
  for (const NodeGroup& group : scenario.groups)
    for (std::int64_t node = group.first_spare(); node < group.end_node(); ++node)
      for (std::int64_t gpu = 0; gpu < group.node.gpus; ++gpu) free_.emplace(node, gpu);
  for (const FailureEventSpec& event : spec_.events) times_.add(event);
  for (const FailureRateSpec& rate : spec_.rates) times_.add(rate, parts(kind_of(rate.part)));
}

ReplicaPlace& Failures::place(const ReplicaAt& at) { return scenario_.pools[at.pool].places[at.replica]; }

const ReplicaPlace& Failures::place(const ReplicaAt& at) const { return scenario_.pools[at.pool].places[at.replica]; }

/// All of a kind that there are, spares included; of GPUs, those that are used or spare.
std::vector<BreakablePart> Failures::parts(Kind kind) const {
  std::set<BreakablePart> all;
  const NodeGroups& groups = scenario_.groups;
  if (kind == Kind::node)
    for (std::int64_t node = 0; node < groups.nodes(); ++node) all.insert({.kind = kind, .node = node});
  if (kind == Kind::nic)
    for (std::int64_t node = 0; node < groups.nodes(); ++node)
      for (std::int64_t nic = 0; nic < groups.of(node).node.nics; ++nic)
        all.insert({.kind = kind, .node = node, .number = nic});
  if (kind == Kind::gpu)
    for (const ReplicaAt& at : replicas_)
      for (const GpuPlace& gpu : place(at).gpus) all.insert({.kind = kind, .node = gpu.node, .number = gpu.gpu});
  if (kind == Kind::gpu)
    for (const auto& [node, gpu] : free_) all.insert({.kind = kind, .node = node, .number = gpu});
  if (kind == Kind::link || kind == Kind::switch_)
    for (std::int64_t number = 0; number < groups.switches(); ++number)
      if (kind == Kind::switch_ || groups.of_switch(number).has_leaves())
        all.insert({.kind = kind, .number = number});
  if (kind == Kind::trunk)
    for (std::size_t i = 0; i < groups.links().size(); ++i)
      all.insert({.kind = kind, .number = static_cast<std::int64_t>(i)});
  if (kind == Kind::storage) all.insert({.kind = kind});
  if (kind == Kind::replica)
    for (std::size_t i = 0; i < replicas_.size(); ++i)
      all.insert({.kind = kind, .number = static_cast<std::int64_t>(i)});
  return {all.begin(), all.end()};
}

void Failures::act_due(double now_s) {
  while (times_.next_s() <= now_s) apply(times_.take(), now_s);
  look_for_parts(now_s);
}

void Failures::look_for_parts(double now_s) {
  for (const ReplicaAt& at : replicas_)
    if (!lifecycle_.is_whole(at)) evaluate(at, now_s);
}

bool Failures::uses(const ReplicaAt& at, const BreakablePart& part) const {
  if (part.kind == Kind::replica) return replicas_[static_cast<std::size_t>(part.number)] == at;
  return std::ranges::any_of(place(at).gpus, [&](const GpuPlace& gpu) {
    return gpu.node == part.node && (part.kind == Kind::node || (part.kind == Kind::gpu && gpu.gpu == part.number));
  });
}

void Failures::apply(const PartChange& change, double now_s) {
  if (change.slow) return set_slow(change, now_s);
  if (change.warns) return warn(change.part, now_s);
  if (const auto warning = warned_.find(change.part); change.begins && warning != warned_.end())
    warned_.erase(warning);
  count(change);
  std::int64_t& times = broken_[change.part];
  times += change.begins ? 1 : -1;
  if (times > 1 || (times == 1 && !change.begins)) return;
  if (times == 0) broken_.erase(change.part);
  const Kind kind = change.part.kind;
  if (kind != Kind::node && kind != Kind::gpu && kind != Kind::replica)
    return set_links(change.part, change.begins, now_s);
  if (!change.begins) return;  // replicas that waited for it start when all changes of this instant are known
  for (const ReplicaAt& at : replicas_) {
    if (!uses(at, change.part)) continue;
    stop(at, now_s);
    if (kind == Kind::node) cluster_.lose_memory(at, now_s);
  }
}

void Failures::warn(const BreakablePart& part, double now_s) {
  warned_.insert(part);
  for (const ReplicaAt& at : replicas_)
    if (uses(at, part)) lifecycle_.doomed(at, now_s);
}

void Failures::count(const PartChange& change) {
  KindTotals& totals = kinds_[change.part.kind];
  if (change.begins) {
    ++totals.failures;
    broken_since_s_.try_emplace(change.part, change.at_s);
  } else if (broken_.at(change.part) == 1) {
    totals.down_s += change.at_s - broken_since_s_.extract(change.part).mapped();
  }
}

void Failures::stop(const ReplicaAt& at, double now_s) {
  if (lifecycle_.broken(at, now_s)) totals_[at.pool].crashed_s.push_back(now_s);
}

bool Failures::whole(const BreakablePart& part) const { return !broken_.contains(part) && !warned_.contains(part); }

bool Failures::whole(const GpuPlace& gpu) const {
  return whole(BreakablePart{.kind = Kind::node, .node = gpu.node}) &&
         whole(BreakablePart{.kind = Kind::gpu, .node = gpu.node, .number = gpu.gpu});
}

bool Failures::whole(const ReplicaAt& at) const {
  const auto which = static_cast<std::int64_t>(number(at));
  return whole(BreakablePart{.kind = Kind::replica, .number = which}) &&
         std::ranges::all_of(place(at).gpus, [&](const GpuPlace& gpu) { return whole(gpu); });
}

// Perhaps its parts are whole again, or spares stand in.
void Failures::evaluate(const ReplicaAt& at, double now_s) {
  if (!free_.empty() && lifecycle_.waits_for_parts(at)) take_spares(at, now_s);
  if (!whole(at) || !lifecycle_.whole(at, now_s)) return;
  for (std::size_t i = 0; i < place(at).gpus.size(); ++i)
    totals_[at.pool].reload_bytes += scenario_.pools[at.pool].memory.weight_bytes;
}

// Its GPUs on a node of which one is broken go to GPUs of the same numbers on another node of the group, and become
// free themselves: any replica may have them once they are whole.
void Failures::take_spares(const ReplicaAt& at, double now_s) {
  std::vector<GpuPlace>& gpus = place(at).gpus;
  std::set<std::int64_t> bad;
  for (const GpuPlace& gpu : gpus)
    if (!whole(gpu)) bad.insert(gpu.node);
  for (const std::int64_t node : bad) {
    const auto stands_in = [&](std::int64_t spare) {
      return std::ranges::all_of(gpus, [&](const GpuPlace& g) {
        return g.node != node || (free_.contains({spare, g.gpu}) && whole({.node = spare, .gpu = g.gpu}));
      });
    };
    std::set<std::int64_t> spares;
    for (const auto& [spare, gpu] : free_)
      if (scenario_.groups.of(node).holds(spare)) spares.insert(spare);
    const auto found = std::ranges::find_if(spares, stands_in);
    if (found == spares.end()) continue;
    for (GpuPlace& gpu : gpus) {
      if (gpu.node != node) continue;
      free_.erase({*found, gpu.gpu});
      free_.emplace(node, gpu.gpu);
      gpu.node = *found;
    }
    ++totals_[at.pool].stand_ins;
    cluster_.relocated(at, now_s);
  }
}

}  // namespace servecast
