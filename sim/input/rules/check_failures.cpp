#include "sim/input/rules/check_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

bool without_port(const NodeGroup& group) { return group.node.nics == 0; }
std::string no_port(const NodeGroup& group) { return fmt::format("'{}' has no network port", group.node.name); }

class FailureCheck {
 public:
  FailureCheck(YamlText& text, const ScenarioSpec& spec, const NodeGroups& groups)
      : text_(text), spec_(*spec.failures), groups_(groups) {
    for (const PoolSpec& pool : spec.pools) replicas_ += pool.replicas;
  }

  void events() {
    for (std::size_t i = 0; i < spec_.events.size(); ++i) {
      path_ = fmt::format("failures.events[{}]", i);
      const FailureEventSpec& e = spec_.events[i];
      const int named = e.node.has_value() + e.replica.has_value() + of_network(e);
      if (named != 1 || ((e.gpu || e.nic) && !e.node) || (e.gpu && e.nic))
        fail("",
             "an event names one thing: node, node with gpu, node with nic, replica, link, switch, trunk or storage");
      else
        numbers(e);
      effect(e);
    }
  }

  void rates() {
    for (std::size_t i = 0; i < spec_.rates.size(); ++i) {
      path_ = fmt::format("failures.rates[{}]", i);
      const FailureRateSpec& rate = spec_.rates[i];
      if (!rate.mtbf_s && rate.part != "node" && rate.part != "gpu" && rate.part != "nic")
        fail("", fmt::format("how often a {} fails is not published; give its mtbf_s", rate.part));
      if (rate.notice_s && rate.part != "node" && rate.part != "gpu") fail(".notice_s", no_notice);
      if (rate.part == "link" && std::ranges::none_of(groups_, &NodeGroup::has_leaves)) fail(".part", no_spine);
      if (rate.part == "trunk" && groups_.links().empty()) fail(".part", no_trunk);
      if (rate.part == "nic" && std::ranges::all_of(groups_, without_port)) fail(".part", no_port(groups_[0]));
      for (std::size_t j = 0; j < i; ++j)
        if (spec_.rates[j].part == rate.part) fail(".part", fmt::format("'{}' has a rate already", rate.part));
    }
  }

 private:
  static int of_network(const FailureEventSpec& e) {
    return e.link.has_value() + e.switch_number.has_value() + e.trunk.has_value() + e.storage;
  }

  static constexpr const char* no_trunk = "no link between groups of nodes is stated (cluster.links)";
  static constexpr const char* no_notice = "would be ignored: only replicas can prepare for what they stand on";
  static constexpr const char* no_spine = "the fabric has one switch and no spine, so there are no cables to it";

  void fail(const std::string& key, const std::string& message) { text_.fail(path_ + key, message); }

  bool below(const char* key, const std::optional<std::int64_t>& number, std::int64_t count) {
    if (!number || (*number >= 0 && *number < count)) return true;
    fail(fmt::format(".{}", key), count == 1 ? fmt::format("there is only one, number 0")
                                             : fmt::format("they are numbered 0 to {}", count - 1));
    return false;
  }

  void numbers(const FailureEventSpec& e) {
    below("replica", e.replica, replicas_);
    below("switch", e.switch_number, groups_.switches());
    if (e.trunk && groups_.links().empty()) return fail(".trunk", no_trunk);
    below("trunk", e.trunk, static_cast<std::int64_t>(groups_.links().size()));
    if (e.link) return link(e);
    if (!e.node || !below("node", e.node, groups_.nodes())) return;
    const NodeGroup& group = groups_.of(*e.node);
    below("gpu", e.gpu, group.node.gpus);
    if (e.nic && without_port(group)) return fail(".nic", no_port(group));
    below("nic", e.nic, group.node.nics);
  }

  void link(const FailureEventSpec& e) {
    if (std::ranges::none_of(groups_, &NodeGroup::has_leaves)) return fail(".link", no_spine);
    if (below("link", e.link, groups_.switches()) && !groups_.of_switch(*e.link).has_leaves())
      fail(".link", no_spine);
  }

  void effect(const FailureEventSpec& e) {
    const bool slower = e.step_time_factor > 1 || e.clock_fraction < 1;
    if (e.down_s.has_value() == e.slow_s.has_value())
      return fail("", "an event lasts: give down_s (out of service) or slow_s");
    if (e.down_s && slower) fail(".down_s", "what is out of service is not slow; give slow_s instead");
    if (e.notice_s && (e.nic || of_network(e) > 0)) fail(".notice_s", no_notice);
    if (!e.slow_s) return;
    if (e.notice_s) fail(".notice_s", "what turns slow gives no notice; leave it out, or give down_s");
    if (!slower) fail(".slow_s", "say how slow: step_time_factor above 1 or clock_fraction below 1");
    if (e.nic || of_network(e) > 0) fail(".slow_s", "only a node, a GPU or a replica can be slow");
  }

  YamlText& text_;
  const FailureSpec& spec_;
  const NodeGroups& groups_;
  std::int64_t replicas_ = 0;
  std::string path_{};
};

/// A spare stands in for any node of its group, and loads weights as these do.
void check_spares(YamlText& text, const NodeGroups& groups, std::size_t i, const std::vector<Pool>& pools) {
  const NodeGroup& group = groups[i];
  const std::string path = text.places.contains("failures.spares") ? "failures.spares" : groups.path(i, "spares");
  if (without_port(group)) text.fail(path, no_port(group) + " to load weights over");
  const auto of_group = [&](const Pool& pool) { return pool.group == i; };
  const auto first = std::ranges::find_if(pools, of_group);
  if (first == pools.end())
    return text.fail(path,
                     fmt::format("no pool is on {}, so its spares would stand in for no replica", groups.called(i)));
  for (const Pool& pool : pools)
    if (of_group(pool) && pool.spec.gpu != first->spec.gpu)
      text.fail(path, fmt::format("a spare stands in for any node, so all pools need one kind of GPU; '{}' "
                                  "has {}, '{}' has {}",
                                  first->spec.name, first->spec.gpu, pool.spec.name, pool.spec.gpu));
}

}  // namespace

void check_failures(YamlText& text, const ScenarioSpec& spec, const NodeGroups& groups,
                    const std::vector<Pool>& pools) {
  if (!spec.failures) return;
  FailureCheck check(text, spec, groups);
  check.events();
  check.rates();
  for (std::size_t i = 0; i < groups.size(); ++i)
    if (groups[i].spares > 0) check_spares(text, groups, i, pools);
}

}  // namespace servecast
