#include "sim/input/label_use.h"

#include <fmt/format.h>

#include <algorithm>

namespace servecast {
namespace {

struct Use {
  const char* key;
  const char* queue;
  bool (*is_set)(const RequestLabels&);
};

constexpr Use uses[] = {
    {"priority", "priority", [](const RequestLabels& l) { return l.priority.has_value(); }},
    {"client", "fair_share", [](const RequestLabels& l) { return !l.client.empty(); }},
    {"ttft_deadline_s", "earliest_deadline", [](const RequestLabels& l) { return l.ttft_deadline_s.has_value(); }},
};

void check(YamlText& text, const std::string& path, const RequestLabels& labels, const ScenarioSpec& spec) {
  for (const Use& use : uses) {
    const auto looks = [&](const PoolSpec& pool) {
      return pool.queue.policy() == use.queue && (labels.pool.empty() || labels.pool == pool.name);
    };
    if (!use.is_set(labels) || std::ranges::any_of(spec.pools, looks)) continue;
    text.fail(
        path + "." + use.key,
        fmt::format("'{}' would be ignored: only a pool with queue: {{policy: {}}} looks at it", use.key, use.queue));
  }
}

}  // namespace

void check_labels(YamlText& text, const ScenarioSpec& spec) {
  check(text, "workload", spec.workload.source.labels, spec);
  for (std::size_t i = 0; i < spec.workload.mix.size(); ++i)
    check(text, fmt::format("workload.mix[{}]", i), spec.workload.mix[i].labels, spec);
}

}  // namespace servecast
