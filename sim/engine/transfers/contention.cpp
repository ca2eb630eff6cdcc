#include "sim/engine/transfers/contention.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <optional>
#include <set>
#include <string_view>
#include <tuple>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/links/wiring.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

std::size_t number(OwnTraffic traffic) { return static_cast<std::size_t>(traffic); }

std::string_view flow_kind(OwnTraffic traffic) {
  return traffic == OwnTraffic::experts ? expert_load_kind : collective_kind;
}

std::optional<Reach> reach(OwnTraffic traffic) {
  if (traffic == OwnTraffic::experts) return std::nullopt;
  return traffic == OwnTraffic::inside_node ? Reach::inside_node : Reach::across_nodes;
}

bool has(const Pool& pool, OwnTraffic traffic) {
  const auto over = reach(traffic);
  return over ? pool.sends(*over) : pool.experts.has_value();
}

bool has_any(const Pool& pool) {
  return std::ranges::any_of(all_own_traffic, [&](OwnTraffic traffic) { return has(pool, traffic); });
}

/// What the GPUs of a stage send or load.
std::vector<ReplicaTransfer> examples(const Pool& pool, OwnTraffic traffic, std::size_t stage) {
  if (const auto over = reach(traffic)) return {StepTraffic{.stage = stage, .reach = *over, .alone_s = 1}};
  const ExpertPlan& plan = *pool.experts;
  const bool from_disk = plan.host_experts < plan.shape.layers * plan.experts();
  std::vector<ReplicaTransfer> loads;
  for (std::size_t group = 0; group < static_cast<std::size_t>(pool.spec.expert_parallel); ++group)
    loads.push_back(ExpertLoad{.stage = stage, .group = group, .from_disk = from_disk, .bytes = 1});
  return loads;
}

/// Uplinks that carry all that the ports below them send hold no flow up.
bool may_bind(const PlatformLink& link, const Fabric& fabric) {
  return link.kind != "fabric" || fabric.oversubscription > 1;
}

double bottleneck(const Transfer& transfer, const Platform& platform) {
  double least = std::numeric_limits<double>::infinity();
  for (const std::size_t link : transfer.path.links) least = std::min(least, platform.links[link].bytes_per_s);
  return least;
}

}  // namespace

Contention::Contention(const Scenario& scenario, const Wiring& wiring, const TransferRoutes& routes, Flows& flows,
                       Cluster& cluster)
    : scenario_(scenario),
      wiring_(wiring),
      routes_(routes),
      cluster_(cluster),
      by_link_(wiring.platform().links.size()) {
  if (std::ranges::none_of(scenario.pools, has_any)) return;
  flows.add_listener(*this);
  if (std::ranges::any_of(scenario.pools, [this](const Pool& pool) { return may_meet_itself(pool); })) find_users();
}

void Contention::find_users() {
  known_ = true;
  others_on_link_.fill(std::vector<std::int64_t>(by_link_.size(), 0));
  for (std::size_t pool = 0; pool < scenario_.pools.size(); ++pool)
    for (std::size_t replica = 0; replica < scenario_.pools[pool].places.size(); ++replica)
      for (const OwnTraffic traffic : all_own_traffic)
        if (has(scenario_.pools[pool], traffic)) users_.push_back({.replica = {pool, replica}, .traffic = traffic});
  for (std::size_t user = 0; user < users_.size(); ++user) take_links(user);
  find_always();
}

/// Not where all it has are collectives over the GPUs' own ports.
bool Contention::may_meet_itself(const Pool& pool) const {
  if (has(pool, OwnTraffic::experts) || pool.sends(Reach::across_nodes)) return true;
  const NodeGroup& group = scenario_.group_of(pool);
  const bool own_ports = group.node.gpu_link == "nvswitch" && pool.gpu.nvlink_bytes_per_s > 0;
  return pool.sends(Reach::inside_node) && !own_ports;
}

void Contention::mark_always_contended() {
  for (const User& user : users_)
    if (user.always) cluster_.set_contended(user.replica, user.traffic, true, 0);
}

void Contention::take_links(std::size_t number_of_user) {
  User& user = users_[number_of_user];
  const Pool& pool = scenario_.pools[user.replica.pool];
  const Fabric& fabric = scenario_.group_of(pool).fabric;
  user.links.clear();
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(pool.shape().pipeline_parallel); ++stage)
    for (const ReplicaTransfer& example : examples(pool, user.traffic, stage))
      for (const Transfer& transfer : routes_.of(user.replica, example))
        for (const std::size_t link : transfer.path.links)
          if (user.traffic == OwnTraffic::experts || may_bind(wiring_.platform().links[link], fabric))
            user.links.push_back({link, stage, bottleneck(transfer, wiring_.platform())});
  for (const LinkUse& use : user.links)
    if (by_link_[use.link].empty() || by_link_[use.link].back() != number_of_user)
      by_link_[use.link].push_back(number_of_user);
}

/// Traffic that together may be more than a link carries.
void Contention::find_always() {
  for (User& user : users_) user.always = false;
  for (std::size_t link = 0; link < by_link_.size(); ++link) {
    double most = 0;
    std::set<std::tuple<ReplicaAt, std::size_t, bool>> sharing;  // replica, stage, whether these are loads
    for (const std::size_t number_of_user : by_link_[link]) {
      const User& user = users_[number_of_user];
      for (const LinkUse& use : user.links) {
        if (use.link != link) continue;
        sharing.insert({user.replica, use.stage, user.traffic == OwnTraffic::experts});
        most += use.bytes_per_s;
      }
    }
    if (sharing.size() < 2 || most <= wiring_.platform().links[link].bytes_per_s) continue;
    for (const std::size_t user : by_link_[link]) users_[user].always = true;
  }
}

void Contention::count(const Transfer& transfer, std::int64_t change, double now_s) {
  if (!known_) {
    find_users();
    assert(std::ranges::none_of(users_, &User::always));  // they would have been marked first
  }
  for (const OwnTraffic traffic : all_own_traffic) {
    if (transfer.kind == flow_kind(traffic)) continue;
    for (const std::size_t link : transfer.path.links) {
      others_on_link_[number(traffic)][link] += change;
      for (const std::size_t user : by_link_[link])
        if (users_[user].traffic == traffic) add_others(users_[user], change, now_s);
    }
  }
}

void Contention::add_others(User& user, std::int64_t change, double now_s) {
  const bool before = user.contended();
  user.others += change;
  if (user.contended() != before) cluster_.set_contended(user.replica, user.traffic, !before, now_s);
}

void Contention::relocated(const ReplicaAt& at, double now_s) {
  if (!known_) return;  // its place is asked for by then
  std::vector<bool> before;
  for (const User& user : users_) before.push_back(user.contended());
  for (std::vector<std::size_t>& users : by_link_)
    std::erase_if(users, [&](std::size_t user) { return users_[user].replica == at; });
  for (std::size_t i = 0; i < users_.size(); ++i) {
    if (users_[i].replica != at) continue;
    take_links(i);
    users_[i].others = 0;
    for (std::size_t link = 0; link < by_link_.size(); ++link)
      if (std::ranges::find(by_link_[link], i) != by_link_[link].end())
        users_[i].others += others_on_link_[number(users_[i].traffic)][link];
  }
  find_always();
  for (std::size_t i = 0; i < users_.size(); ++i)
    if (users_[i].contended() != before[i])
      cluster_.set_contended(users_[i].replica, users_[i].traffic, users_[i].contended(), now_s);
}

}  // namespace servecast
