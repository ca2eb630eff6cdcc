#include "sim/input/rules/check_pool.h"

#include <fmt/format.h>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

class PoolCheck {
 public:
  PoolCheck(YamlText& text, const std::string& path, const Node& node) : text_(text), path_(path), node_(node) {}

  bool check(const Pool& pool) {
    return check_batcher(pool.spec) && check_cache(pool.spec) && check_shape(pool) && check_power(pool) &&
           check_preemption(pool.spec) && check_gate(pool.spec);
  }

 private:
  void fail(const std::string& key, const std::string& message) { text_.fail(path_ + key, message); }

  bool check_batcher(const PoolSpec& spec) {
    const auto batcher = spec.batcher.make();
    const std::int64_t drafts = spec.speculation()->max_rows();
    if (batcher->max_step_tokens() >= batcher->max_sequences() * (1 + drafts)) return true;
    fail(".batcher",
         fmt::format("a step of at most {} tokens cannot hold {} decoding sequences{}; raise the token budget "
                     "or lower the number of sequences",
                     batcher->max_step_tokens(), batcher->max_sequences(),
                     drafts > 0 ? fmt::format(" with {} drafts each", drafts) : ""));
    return false;
  }

  bool check_cache(const PoolSpec& spec) {
    const auto problem = spec.kv_cache.make()->problem();
    if (problem) fail(".kv_cache", *problem);
    return !problem;
  }

  bool check_shape(const Pool& pool) {
    const auto problem = shape_problem(pool.spec, node_);
    if (problem) fail(problem->key, problem->message);
    return !problem;
  }

  bool check_power(const Pool& pool) {
    if (!pool.spec.power_cap_w) return true;
    const PowerDraw& power = pool.gpu.power;
    if (*pool.spec.power_cap_w > power.idle_w && *pool.spec.power_cap_w <= power.tdp_w) return true;
    fail(".power_cap_w", fmt::format("'{}' takes a cap above {} W, what it draws idle, and at most {} W, not {}",
                                     pool.gpu.name, power.idle_w, power.tdp_w, *pool.spec.power_cap_w));
    return false;
  }

  bool check_preemption(const PoolSpec& spec) {
    if (spec.preemption.mode != "swap") return true;
    if (spec.kv_cache.make()->growth_tokens() == 0) {
      fail(".preemption.mode",
           fmt::format("'swap' would be ignored: with KV cache '{}' running sequences never lack blocks",
                       spec.kv_cache.policy()));
      return false;
    }
    const double all = spec.preemption.swap_space_bytes * static_cast<double>(node_.gpus);
    if (all <= node_.host_memory_bytes) return true;
    fail(".preemption.swap_space_bytes",
         fmt::format("{:.3g} bytes for each of {} GPUs are more than the node's {:.3g} bytes of memory",
                     spec.preemption.swap_space_bytes, node_.gpus, node_.host_memory_bytes));
    return false;
  }

  bool check_gate(const PoolSpec& spec) {
    const auto router = spec.router.make();
    const auto admission = spec.admission.make();
    if (const auto problem = router->problem()) return fail(".router", *problem), false;
    if (const auto problem = admission->problem()) return fail(".admission", *problem), false;
    if (spec.signal_delay_s == 0 || router->reads_state() || admission->reads_state()) return true;
    fail(".signal_delay_s", fmt::format("{} s would be ignored: neither router '{}' nor admission '{}' looks at load",
                                        spec.signal_delay_s, spec.router.policy(), spec.admission.policy()));
    return false;
  }

  YamlText& text_;
  const std::string& path_;
  const Node& node_;
};

}  // namespace

bool check_pool(YamlText& text, const std::string& path, const Pool& pool, const Node& node) {
  return PoolCheck(text, path, node).check(pool);
}

}  // namespace servecast
