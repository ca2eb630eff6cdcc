#include "sim/input/label_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/input/scenario.h"

namespace servecast {
namespace {

struct Use {
  const char* key;
  const char* who;
  bool (*looks)(const PoolSpec&);
  bool (*is_set)(const RequestLabels&);
  const char* stage = "";  // of the gateway, which looks at it as well
};

bool looks_at_clients(const PoolSpec& pool) {
  const std::string& router = pool.router.policy();
  return pool.queue.policy() == "fair_share" || pool.admission.policy() == "token_bucket" || router == "session" ||
         router == "kv_aware";
}

constexpr Use label_uses[] = {
    {"priority", "queue: {policy: priority} or a gateway with jobs",
     [](const PoolSpec& p) { return p.queue.policy() == "priority"; },
     [](const RequestLabels& l) { return l.priority.has_value(); }, "jobs"},
    {"client",
     "queue: {policy: fair_share}, router: {policy: session or kv_aware} or admission: {policy: token_bucket}",
     looks_at_clients, [](const RequestLabels& l) { return !l.client.empty(); }},
    {"ttft_deadline_s", "queue: {policy: earliest_deadline}",
     [](const PoolSpec& p) { return p.queue.policy() == "earliest_deadline"; },
     [](const RequestLabels& l) { return l.ttft_deadline_s.has_value(); }},
    {"adapters", "lora or expert_offload: {models}",
     [](const PoolSpec& p) { return p.lora.has_value() || (p.expert_offload && p.expert_offload->models > 1); },
     [](const RequestLabels& l) { return l.adapters.has_value(); }},
};

void check(YamlText& text, const std::string& path, const RequestLabels& labels, const ScenarioSpec& spec) {
  for (const Use& use : label_uses) {
    const auto looks = [&](const PoolSpec& pool) {
      return use.looks(pool) && (labels.pool.empty() || labels.pool == pool.name);
    };
    const auto stage_looks = [&](const GatewaySpec& entry) { return entry.stage.policy() == use.stage; };
    if (!use.is_set(labels) || std::ranges::any_of(spec.pools, looks) ||
        std::ranges::any_of(spec.gateway, stage_looks))
      continue;
    text.fail(path + "." + use.key,
              fmt::format("'{}' would be ignored: only a pool with {} looks at it", use.key, use.who));
  }
}

}  // namespace

void check_labels(YamlText& text, const ScenarioSpec& spec) {
  check(text, "workload", spec.workload.source.labels, spec);
  for (std::size_t i = 0; i < spec.workload.mix.size(); ++i)
    check(text, fmt::format("workload.mix[{}]", i), spec.workload.mix[i].labels, spec);
}

}  // namespace servecast
