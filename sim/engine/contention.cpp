#include "sim/engine/contention.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>

#include "sim/engine/cluster.h"
#include "sim/engine/wiring.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

constexpr std::array<std::string_view, 2> flow_kinds{expert_load_kind, collective_kind};  // by OwnTraffic

std::size_t number(OwnTraffic traffic) { return static_cast<std::size_t>(traffic); }

bool has(const Pool& pool, OwnTraffic traffic) {
  return traffic == OwnTraffic::experts ? pool.experts.has_value() : pool.across_nodes();
}

/// What the GPUs of a stage send or load.
std::vector<ReplicaTransfer> examples(const Pool& pool, OwnTraffic traffic, std::size_t stage) {
  if (traffic == OwnTraffic::collectives) return {StepTraffic{.stage = stage, .alone_s = 1}};
  const ExpertPlan& plan = *pool.experts;
  const bool from_disk = plan.host_experts < plan.shape.layers * plan.experts();
  std::vector<ReplicaTransfer> loads;
  for (std::size_t group = 0; group < static_cast<std::size_t>(pool.spec.expert_parallel); ++group)
    loads.push_back(ExpertLoad{.stage = stage, .group = group, .from_disk = from_disk, .bytes = 1});
  return loads;
}

/// Uplinks that carry whatever the ports below them send cannot hold anybody up.
bool may_bind(const PlatformLink& link, const Fabric& fabric) {
  return link.kind != "fabric" || fabric.oversubscription > 1;
}

}  // namespace

Contention::Contention(const Scenario& scenario, const Wiring& wiring, const TransferRoutes& routes, Flows& flows,
                       Cluster& cluster)
    : scenario_(scenario),
      wiring_(wiring),
      routes_(routes),
      cluster_(cluster),
      by_link_(wiring.platform().links.size()) {
  others_on_link_.fill(std::vector<std::int64_t>(by_link_.size(), 0));
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool)
    for (std::size_t replica = 0; replica < scenario.pools[pool].places.size(); ++replica)
      for (const OwnTraffic traffic : {OwnTraffic::experts, OwnTraffic::collectives})
        if (has(scenario.pools[pool], traffic)) users_.push_back({.at = {pool, replica}, .traffic = traffic});
  for (std::size_t user = 0; user < users_.size(); ++user) take_links(user);
  find_always();
  if (!users_.empty()) flows.add_watcher(*this);
}

void Contention::tell_first() {
  for (const User& user : users_)
    if (user.always) cluster_.set_contended(user.at, user.traffic, true, 0);
}

void Contention::take_links(std::size_t number_of_user) {
  User& user = users_[number_of_user];
  const Pool& pool = scenario_.pools[user.at.pool];
  const Fabric& fabric = scenario_.group_of(pool).fabric;
  user.links.clear();
  for (std::size_t stage = 0; stage < static_cast<std::size_t>(pool.shape().pipeline_parallel); ++stage)
    for (const ReplicaTransfer& example : examples(pool, user.traffic, stage))
      for (const Transfer& transfer : routes_.of(user.at, example))
        for (const std::size_t link : transfer.path.links)
          if (user.traffic == OwnTraffic::experts || may_bind(wiring_.platform().links[link], fabric))
            user.links.push_back({link, stage});
  for (const auto& [link, stage] : user.links)
    if (by_link_[link].empty() || by_link_[link].back() != number_of_user) by_link_[link].push_back(number_of_user);
}

/// Steps that share a link in both of which GPUs send without a pause, and loads of experts that together are more
/// than a link carries: a GPU's own link is the most that its loads can take.
void Contention::find_always() {
  for (User& user : users_) user.always = false;
  for (std::size_t link = 0; link < by_link_.size(); ++link)
    for (const OwnTraffic traffic : {OwnTraffic::experts, OwnTraffic::collectives}) {
      double most = 0;
      std::set<std::pair<std::size_t, std::size_t>> sharing;  // user, and stage
      for (const std::size_t number_of_user : by_link_[link]) {
        const User& user = users_[number_of_user];
        if (user.traffic != traffic) continue;
        for (const LinkUse& use : user.links) {
          if (use.link != link) continue;
          sharing.insert({number_of_user, use.stage});
          most += scenario_.pools[user.at.pool].gpu.pcie_h2d_bytes_per_s;
        }
      }
      const bool binds = traffic == OwnTraffic::collectives || most > wiring_.platform().links[link].bytes_per_s;
      if (sharing.size() > 1 && binds)
        for (const auto& [user, stage] : sharing) users_[user].always = true;
    }
}

void Contention::count(const Transfer& transfer, std::int64_t change, double now_s) {
  for (const OwnTraffic traffic : {OwnTraffic::experts, OwnTraffic::collectives}) {
    if (transfer.kind == flow_kinds[number(traffic)]) continue;
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
  if (user.contended() != before) cluster_.set_contended(user.at, user.traffic, !before, now_s);
}

void Contention::moved(const ReplicaAt& at, double now_s) {
  std::vector<bool> before;
  for (const User& user : users_) before.push_back(user.contended());
  for (std::vector<std::size_t>& users : by_link_)
    std::erase_if(users, [&](std::size_t user) { return users_[user].at == at; });
  for (std::size_t i = 0; i < users_.size(); ++i) {
    if (users_[i].at != at) continue;
    take_links(i);
    users_[i].others = 0;
    for (std::size_t link = 0; link < by_link_.size(); ++link)
      if (std::ranges::find(by_link_[link], i) != by_link_[link].end())
        users_[i].others += others_on_link_[number(users_[i].traffic)][link];
  }
  find_always();
  for (std::size_t i = 0; i < users_.size(); ++i)
    if (users_[i].contended() != before[i])
      cluster_.set_contended(users_[i].at, users_[i].traffic, users_[i].contended(), now_s);
}

}  // namespace servecast
