#include "sim/input/rules/check_scaling.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

class ScalingCheck {
 public:
  ScalingCheck(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools)
      : text_(text), spec_(spec), pools_(pools) {}

  void check(std::size_t i) {
    const PoolSpec& pool = pools_[i].spec;
    path_ = fmt::format("pools[{}]", i);
    if (!pool.scales()) {
      if (pool.scaling)
        fail(".scaling", "would be ignored: autoscaler 'none' has all replicas serve; choose another");
      return;
    }
    policy(pool);
    numbers(pool);
  }

 private:
  void fail(const std::string& key, const std::string& message) { text_.fail(path_ + key, message); }

  void policy(const PoolSpec& pool) {
    const auto autoscaler = pool.autoscaler.make();
    if (const auto problem = autoscaler->problem()) fail(".autoscaler", *problem);
    if (autoscaler->needs_slo() && !spec_.slo.ttft_s && !spec_.slo.tpot_s && !spec_.slo.e2e_s)
      fail(".autoscaler", fmt::format("'{}' needs a promise to size for; give slo.ttft_s, slo.tpot_s or slo.e2e_s",
                                      pool.autoscaler.policy()));
  }

  void numbers(const PoolSpec& pool) {
    const ScalingSpec scaling = pool.scaling.value_or(ScalingSpec{});
    const auto within = [&](const char* key, std::int64_t value, std::int64_t least) {
      if (value < least || value > pool.replicas)
        fail(fmt::format(".scaling.{}", key),
             fmt::format("{} is not between {} and the pool's {} replicas, which are the most there can be", value,
                         least, pool.replicas));
    };
    within("min_replicas", scaling.min_replicas, 0);
    if (scaling.start_replicas) within("start_replicas", *scaling.start_replicas, 0);
    within("warm_replicas", scaling.warm_replicas, 0);
    if (scaling.warm_start_s && scaling.warm_replicas == 0)
      fail(".scaling.warm_start_s", "would be ignored: warm_replicas is 0");
    if (scaling.image_bytes_per_s && scaling.image_bytes == 0)
      fail(".scaling.image_bytes_per_s", "would be ignored: image_bytes is 0, so the image is there");
    if (scaling.drain == "migrate" && pool.migration.policy() == "none")
      fail(".scaling.drain", "'migrate' moves sequences as the pool's migration does, which is 'none'; choose one");
    if (pool.start == "cold")
      fail(".start",
           "an autoscaler says which replicas are there at the start; leave this out and give "
           "scaling.start_replicas: 0");
  }

  YamlText& text_;
  const ScenarioSpec& spec_;
  const std::vector<Pool>& pools_;
  std::string path_{};
};

}  // namespace

void check_scaling(YamlText& text, const ScenarioSpec& spec, const std::vector<Pool>& pools) {
  ScalingCheck check(text, spec, pools);
  for (std::size_t i = 0; i < pools.size(); ++i) check.check(i);
}

}  // namespace servecast
