#include "sim/input/check_failures.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "models/base/counts.h"
#include "sim/input/scenario.h"

namespace servecast {
namespace {

class FailureCheck {
 public:
  FailureCheck(YamlText& text, const ScenarioSpec& spec, const Node& node, const Fabric& fabric)
      : text_(text), spec_(*spec.failures), node_(node), nodes_(spec.cluster.nodes + spec.spares()) {
    if (fabric.topology == "fat_tree" && fabric.nodes_per_leaf > 0)
      leaves_ = divided_up(nodes_, fabric.nodes_per_leaf);
    for (const PoolSpec& pool : spec.pools) replicas_ += pool.replicas;
  }

  void events() {
    for (std::size_t i = 0; i < spec_.events.size(); ++i) {
      path_ = fmt::format("failures.events[{}]", i);
      const FailureEventSpec& e = spec_.events[i];
      const int named =
          e.node.has_value() + e.replica.has_value() + e.link.has_value() + e.switch_number.has_value() + e.storage;
      if (named != 1 || ((e.gpu || e.nic) && !e.node) || (e.gpu && e.nic))
        fail("", "an event names one thing: node, node with gpu, node with nic, replica, link, switch or storage");
      else
        numbers(e);
      effect(e);
    }
  }

  void rates() {
    for (std::size_t i = 0; i < spec_.rates.size(); ++i) {
      path_ = fmt::format("failures.rates[{}]", i);
      const FailureRateSpec& rate = spec_.rates[i];
      if (!rate.mtbf_s && rate.of != "node" && rate.of != "gpu" && rate.of != "nic")
        fail("", fmt::format("nobody published how often a {} fails; give its mtbf_s", rate.of));
      if (rate.notice_s && rate.of != "node" && rate.of != "gpu") fail(".notice_s", no_notice);
      if (rate.of == "link" && leaves_ == 0) fail(".of", no_spine);
      if (rate.of == "nic" && node_.nics == 0) fail(".of", no_nic());
      for (std::size_t j = 0; j < i; ++j)
        if (spec_.rates[j].of == rate.of) fail(".of", fmt::format("'{}' has a rate already", rate.of));
    }
  }

 private:
  static constexpr const char* no_notice = "would be ignored: only replicas can prepare for what they stand on";
  static constexpr const char* no_spine = "the fabric has one switch and no spine, so there are no cables to it";
  std::string no_nic() const { return fmt::format("'{}' has no network port", node_.name); }

  void fail(const std::string& key, const std::string& message) { text_.fail(path_ + key, message); }

  void below(const char* key, const std::optional<std::int64_t>& number, std::int64_t count) {
    if (number && (*number < 0 || *number >= count))
      fail(fmt::format(".{}", key), count == 1 ? fmt::format("there is only one, number 0")
                                               : fmt::format("they are numbered 0 to {}", count - 1));
  }

  void numbers(const FailureEventSpec& e) {
    below("node", e.node, nodes_);
    below("gpu", e.gpu, node_.gpus);
    below("replica", e.replica, replicas_);
    below("switch", e.switch_number, std::max<std::int64_t>(1, leaves_));
    if (e.link && leaves_ == 0) return fail(".link", no_spine);
    below("link", e.link, leaves_);
    if (e.nic && node_.nics == 0) return fail(".nic", no_nic());
    below("nic", e.nic, node_.nics);
  }

  void effect(const FailureEventSpec& e) {
    const bool slower = e.step_time_factor > 1 || e.clock_fraction < 1;
    if (e.down_s.has_value() == e.slow_s.has_value())
      return fail("", "an event lasts: give down_s (out of service) or slow_s");
    if (e.down_s && slower) fail(".down_s", "what is out of service is not slow; give slow_s instead");
    if (e.notice_s && (e.nic || e.link || e.switch_number || e.storage)) fail(".notice_s", no_notice);
    if (!e.slow_s) return;
    if (e.notice_s) fail(".notice_s", "what turns slow gives no notice; leave it out, or give down_s");
    if (!slower) fail(".slow_s", "say how slow: step_time_factor above 1 or clock_fraction below 1");
    if (e.nic || e.link || e.switch_number || e.storage)
      fail(".slow_s", "only a node, a GPU or a replica can be slow");
  }

  YamlText& text_;
  const FailureSpec& spec_;
  const Node& node_;
  std::int64_t nodes_;
  std::int64_t leaves_ = 0;
  std::int64_t replicas_ = 0;
  std::string path_{};
};

}  // namespace

void check_failures(YamlText& text, const ScenarioSpec& spec, const Node& node, const Fabric& fabric,
                    const std::vector<Pool>& pools) {
  if (!spec.failures) return;
  FailureCheck check(text, spec, node, fabric);
  check.events();
  check.rates();
  if (spec.spares() == 0) return;
  if (node.nics == 0)
    text.fail("failures.spares", fmt::format("'{}' has no network port to load weights over", node.name));
  for (const Pool& pool : pools)
    if (pool.spec.gpu != pools.front().spec.gpu)
      text.fail("failures.spares",
                fmt::format("a spare stands in for any node, so all pools need one kind of GPU; '{}' "
                            "has {}, '{}' has {}",
                            pools.front().spec.name, pools.front().spec.gpu, pool.spec.name, pool.spec.gpu));
}

}  // namespace servecast
