#include "sim/input/rules/label_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

/// One label, and the need of a policy that reads it.
struct Label {
  const char* key;
  bool (*is_set)(const RequestLabels&);
  bool RequestNeeds::*need;  // null: only what the pool itself says
  bool (*pool_looks)(const PoolSpec&) = [](const PoolSpec&) { return false; };
  const char* pool_setting = "";
};

constexpr Label labels_told[] = {
    {"priority", [](const RequestLabels& l) { return l.priority.has_value(); }, &RequestNeeds::priority},
    {"client", [](const RequestLabels& l) { return !l.client.empty(); }, &RequestNeeds::client},
    {"ttft_deadline_s", [](const RequestLabels& l) { return l.ttft_deadline_s.has_value(); },
     &RequestNeeds::deadline},
    {"adapters", [](const RequestLabels& l) { return l.adapters.has_value(); }, nullptr,
     [](const PoolSpec& p) { return p.lora.has_value() || (p.expert_offload && !p.expert_offload->models.empty()); },
     "lora or expert_offload: {models}"},
};

bool looks(const Label& label, const PoolSpec& pool) {
  if (label.need == nullptr) return label.pool_looks(pool);
  const RequestNeeds needs[]{pool.queue.make()->needs(), pool.router.make()->needs(), pool.admission.make()->needs()};
  return std::ranges::any_of(needs, [&](const RequestNeeds& n) { return n.*label.need; });
}

bool looks(const Label& label, const GatewaySpec& entry) {
  return label.need != nullptr && entry.stage.make()->needs().*label.need;
}

/// "queue: {policy: fair_share}" for each policy of this kind that would look at it.
template <class Policy>
void add_names(const Label& label, const std::string& key, std::vector<std::string>& names) {
  for (const auto& [name, entry] : Registry<Policy>::all())
    if (entry.prepare()->make()->needs().*label.need) names.push_back(fmt::format("{}: {{policy: {}}}", key, name));
}

std::string who_would(const Label& label) {
  if (label.need == nullptr) return label.pool_setting;
  std::vector<std::string> names;
  add_names<WaitingQueue>(label, "queue", names);
  add_names<Router>(label, "router", names);
  add_names<Admission>(label, "admission", names);
  std::vector<std::string> stages;
  add_names<GatewayPolicy>(label, "stage", stages);
  std::string text = fmt::format("{}", fmt::join(names, " or "));
  for (const std::string& stage : stages) text += " or a gateway with a " + stage;
  return text;
}

void check_source_labels(YamlText& text, const std::string& path, const RequestLabels& labels,
                         const ScenarioSpec& spec) {
  for (const Label& label : labels_told) {
    const auto pool_looks = [&](const PoolSpec& pool) {
      return (labels.pool.empty() || labels.pool == pool.name) && looks(label, pool);
    };
    const auto stage_looks = [&](const GatewaySpec& entry) { return looks(label, entry); };
    if (!label.is_set(labels) || std::ranges::any_of(spec.pools, pool_looks) ||
        std::ranges::any_of(spec.gateway, stage_looks))
      continue;
    text.fail(path + "." + label.key,
              fmt::format("'{}' would be ignored: only a pool with {} looks at it", label.key, who_would(label)));
  }
}

}  // namespace

void check_labels(YamlText& text, const ScenarioSpec& spec) {
  check_source_labels(text, "workload", spec.workload.source.labels, spec);
  for (std::size_t i = 0; i < spec.workload.mix.size(); ++i)
    check_source_labels(text, fmt::format("workload.mix[{}]", i), spec.workload.mix[i].labels, spec);
}

}  // namespace servecast
