#include "sim/cli/listing/list_data.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "models/base/registry.h"
#include "models/policy/admission.h"
#include "models/policy/batcher.h"
#include "models/policy/eviction.h"
#include "models/policy/gateway.h"
#include "models/policy/kv_cache.h"
#include "models/policy/placement.h"
#include "models/policy/queue.h"
#include "models/policy/router.h"
#include "sim/cli/listing/list_hardware.h"
#include "sim/cli/listing/schema_text.h"
#include "sim/input/specs/pool_spec.h"
#include "sim/input/trace/formats/trace_format.h"
#include "sim/input/yaml/schema.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

/// Settings of one thing, as `schema` gives them, without what only says where they stand.
ordered_json settings_items(std::span<const Setting> settings) {
  ordered_json items = ordered_json::parse(schema_json(settings));
  for (ordered_json& item : items) item.erase("only_with");
  return items;
}

template <class Interface>
ordered_json policy_items() {
  ordered_json items = ordered_json::array();
  for (const auto& [name, entry] : Registry<Interface>::all()) {
    SchemaFields fields;
    entry.prepare()->fields(fields);
    items.push_back({{"name", name}, {"help", entry.help}, {"settings", settings_items(fields.settings())}});
  }
  return items;
}

ordered_json trace_items() {
  ordered_json items = ordered_json::array();
  for (const TraceFormatEntry& format : trace_formats())
    items.push_back({{"name", format.name}, {"help", format.help}});
  return items;
}

ordered_json latency_items() {
  return {
      {{"name", "auto"}, {"help", "the GPU's profile for the engine's kernels where there is one, else roofline"}},
      {{"name", "profile"}, {"help", "measured kernels: laws with smoothed residuals, from a kernel profile"}},
      {{"name", "roofline"},
       {"help", "sum over operators, each bounded by arithmetic, memory or launches; constants of the GPU's file"}},
      {{"name", "table"}, {"help", "lookup tables in a folder, one CSV per operator"}}};
}

/// "2048", "0.5", "least_loaded": without the ".0" that JSON gives whole numbers.
std::string plain(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_number_float() ? fmt::format("{}", value.get<double>()) : value.dump();
}

std::string setting_line(const ordered_json& s) {
  std::string facts = plain(s.at("type"));
  if (s.contains("unit")) facts += ", " + plain(s.at("unit"));
  if (s.contains("default")) facts += ", default " + plain(s.at("default"));
  if (s.contains("min")) facts += (s.at("above_min") ? ", above " : ", at least ") + plain(s.at("min"));
  if (s.contains("max")) facts += ", at most " + plain(s.at("max"));
  return plain(s.at("path")) + ": " + plain(s.at("help")) + " (" + facts + ")";
}

/// Name and help, and below it one line per setting.
std::string described(const ordered_json& items) {
  std::size_t width = 0;
  for (const ordered_json& item : items) width = std::max(width, item.at("name").get<std::string>().size());
  std::string text;
  for (const ordered_json& item : items) {
    const std::string name = item.at("name");
    text += name + std::string(width - name.size() + 2, ' ') + item.at("help").get<std::string>() + "\n";
    if (!item.contains("settings")) continue;
    for (const ordered_json& setting : item.at("settings"))
      text += std::string(width + 2, ' ') + "- " + setting_line(setting) + "\n";
  }
  return text;
}

constexpr std::array<Listing, 23> all_listings{{
    {"llms", "language models, bundled by name (a HuggingFace config.json works too)", llm_items, llm_table},
    {"gpus", "accelerators", gpu_items, gpu_table},
    {"nodes", "servers that hold them", node_items, node_table},
    {"fabrics", "networks between servers", fabric_items, fabric_table},
    {"engines", "serving engines: what they add to model and GPU", engine_items, engine_table},
    {"gateways", "stages in front of the pools", policy_items<GatewayPolicy>, described},
    {"routers", "which replica serves a request", policy_items<Router>, described},
    {"admissions", "which requests a pool takes on", policy_items<Admission>, described},
    {"batchers", "what each step computes", policy_items<Batcher>, described},
    {"kv_caches", "which sequence holds which KV blocks", policy_items<KvCache>, described},
    {"queues", "which waiting request is next", policy_items<WaitingQueue>, described},
    {"placements", "which replicas compute prompts and which decode", policy_items<Placement>, described},
    {"migrations", "which sequences move while they decode", policy_items<Migration>, described},
    {"autoscalers", "how many replicas serve", policy_items<Autoscaler>, described},
    {"speculations", "drafts of the next tokens, checked several at a time", policy_items<Speculation>, described},
    {"early_exits", "tokens that leave before the last layer", policy_items<EarlyExit>, described},
    {"evictions", "what leaves a full cache", policy_items<Eviction>, described},
    {"expert_routings", "which experts tokens are sent to", policy_items<ExpertRouting>, described},
    {"expert_caches", "which experts stay in GPU memory", policy_items<ExpertCache>, described},
    {"expert_prefetches", "which experts are loaded ahead", policy_items<ExpertPrefetch>, described},
    {"expert_misses", "what becomes of experts that are not there", policy_items<ExpertMiss>, described},
    {"latencies", "how long a step takes", latency_items, described},
    {"traces", "trace formats that can be read", trace_items, described},
}};

}  // namespace

std::span<const Listing> listings() { return all_listings; }

}  // namespace servecast
