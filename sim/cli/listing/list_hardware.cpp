#include "sim/cli/listing/list_hardware.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <span>

#include "models/hw/power_cost/power.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm_config.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

struct Column {
  std::string heading;
  std::string path;  // of the value in the item: "power/tdp_w"
  std::string (*show)(const ordered_json& value);
};

std::string as_text(const ordered_json& value) { return value.get<std::string>(); }
std::string as_count(const ordered_json& value) { return human::count(value.get<std::int64_t>()); }
std::string as_number(const ordered_json& value) { return human::number(value.get<double>()); }
std::string as_factor(const ordered_json& value) { return human::number(value.get<double>()) + " x"; }
std::string as_share(const ordered_json& value) { return human::percent(value.get<double>()); }
std::string as_seconds(const ordered_json& value) { return human::seconds(value.get<double>()); }
std::string as_bytes(const ordered_json& value) { return human::bytes(value.get<double>()); }
std::string as_watts(const ordered_json& value) { return human::watts(value.get<double>()); }
std::string as_usd(const ordered_json& value) { return human::usd(value.get<double>()); }
std::string as_billions(const ordered_json& value) { return human::number(value.get<double>() / 1e9) + " B"; }
std::string as_rate(const ordered_json& value) {
  return value == 0.0 ? "-" : human::bytes(value.get<double>()) + "/s";
}
std::string as_teraflop(const ordered_json& value) {
  return value == 0.0 ? "-" : human::number(value.get<double>() / 1e12);
}

/// The first `left_columns` hold texts.
std::string table(const ordered_json& items, std::size_t left_columns, std::span<const Column> columns) {
  TextTable rows(left_columns);
  std::vector<std::string> cells;
  for (const Column& column : columns) cells.push_back(column.heading);
  rows.row(cells);
  for (const ordered_json& item : items) {
    cells.clear();
    for (const Column& column : columns)
      cells.push_back(column.show(item.at(ordered_json::json_pointer("/" + column.path))));
    rows.row(cells);
  }
  return rows.text(0, any_width);
}

/// Of each file of a folder all that it says, in the file's own keys.
template <class Load>
ordered_json file_items(const std::vector<std::string>& names, const LibraryFolder& folder, Load load) {
  ordered_json items = ordered_json::array();
  for (const std::string& name : names) {
    ordered_json item{{"name", name}};
    JsonWriter writer(item);
    auto file = load(name, {}, "");
    file.fields(writer);
    item["from"] = library_origin(folder, name);
    items.push_back(std::move(item));
  }
  return items;
}

}  // namespace

ordered_json llm_items() {
  ordered_json items = ordered_json::array();
  for (const std::string& name : list_llms()) {
    const Llm llm = load_llm(name, {});
    items.push_back({{"name", name},
                     {"parameters", parameters(llm)},
                     {"active_parameters", active_parameters(llm)},
                     {"layers", llm.layers},
                     {"bf16_weight_bytes", weight_bytes(llm, DataType::bf16)},
                     {"bf16_kv_bytes_per_token", kv_bytes_per_token(llm, DataType::bf16)},
                     {"from", library_origin(llm_folder, name)}});
  }
  return items;
}

std::string llm_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"PARAMETERS", "parameters", as_billions},
                         {"ACTIVE", "active_parameters", as_billions},
                         {"LAYERS", "layers", as_count},
                         {"WEIGHTS, BF16", "bf16_weight_bytes", as_bytes},
                         {"KV PER TOKEN, BF16", "bf16_kv_bytes_per_token", as_bytes},
                         {"FROM", "from", as_text}};
  return table(items, 1, columns);
}

ordered_json gpu_items() {
  ordered_json items = file_items(list_gpus(), gpu_folder, load_gpu);
  const std::vector<std::string> profiles = list_profiles();
  for (ordered_json& item : items) {
    const auto name = item.at("name").get<std::string>();
    const auto like = item.at("kernels_like").get<std::string>();
    const bool own = std::ranges::any_of(profiles, [&](const auto& p) { return p.starts_with(name + "."); });
    const ordered_json power = item.at("power");
    item["kernels_from"] = own || like.empty() ? name : like;
    item["clock_fraction"] =
        clock_fraction({.idle_w = power.at("idle_w"), .prefill_w = power.at("prefill_w")}, power.at("cap_w"));
  }
  return items;
}

std::string gpu_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"GPU", "title", as_text},
                         {"KERNELS MEASURED ON", "kernels_from", as_text},
                         {"MEMORY", "hbm_bytes", as_bytes},
                         {"BANDWIDTH", "hbm_bytes_per_s", as_rate},
                         {"BF16 TFLOP/S", "peaks/bf16_flop_per_s", as_teraflop},
                         {"FP8 TFLOP/S", "peaks/fp8_flop_per_s", as_teraflop},
                         {"NVLINK", "nvlink_bytes_per_s", as_rate},
                         {"TDP", "power/tdp_w", as_watts},
                         {"CLOCK UNDER LOAD", "clock_fraction", as_share},
                         {"PER HOUR", "usd_per_hour", as_usd},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

ordered_json node_items() { return file_items(list_nodes(), node_folder, load_node); }

std::string node_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"NODE", "title", as_text},
                         {"GPU LINK", "gpu_link", as_text},
                         {"GPUS", "gpus", as_count},
                         {"NICS", "nics", as_count},
                         {"EACH", "nic_bytes_per_s", as_rate},
                         {"HOST MEMORY", "host_memory_bytes", as_bytes},
                         {"BESIDE GPUS", "overhead_w", as_watts},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

ordered_json fabric_items() { return file_items(list_fabrics(), fabric_folder, load_fabric); }

std::string fabric_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"FABRIC", "title", as_text},
                         {"TOPOLOGY", "topology", as_text},
                         {"NODES PER LEAF", "nodes_per_leaf", as_count},
                         {"OVERSUBSCRIPTION", "oversubscription", as_number},
                         {"SHARED STORAGE", "storage_bytes_per_s", as_rate},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

ordered_json engine_items() { return file_items(list_engines(), engine_folder, load_engine); }

std::string engine_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"ENGINE", "title", as_text},
                         {"BASIS", "basis", as_text},
                         {"REQUEST PATH", "request_path_s", as_seconds},
                         {"PER TOKEN", "request_token_s", as_seconds},
                         {"PER SEQUENCE", "frontend_sequence_s", as_seconds},
                         {"HOST STEP", "step/host_step_s", as_seconds},
                         {"EAGER LAUNCH", "step/eager_operation_s", as_seconds},
                         {"ALL-REDUCE WAIT", "step/all_reduce_wait_s", as_seconds},
                         {"EXPERT COMPUTE", "step/expert_compute_factor", as_factor},
                         {"MEMORY", "memory/rule", as_text},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

}  // namespace servecast
