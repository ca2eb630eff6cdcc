#include "sim/cli/listing/list_hardware.h"

#include <nlohmann/json.hpp>
#include <span>

#include "sim/input/library/hardware.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm_config.h"
#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t any_width = 1000;  // a table is never cut: nothing else says these numbers

struct Column {
  std::string heading;
  std::string key;
  std::string (*show)(const ordered_json& value);
};

std::string as_text(const ordered_json& value) { return value.get<std::string>(); }
std::string as_count(const ordered_json& value) { return human::count(value.get<std::int64_t>()); }
std::string as_number(const ordered_json& value) { return human::number(value.get<double>()); }
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
    for (const Column& column : columns) cells.push_back(column.show(item.at(column.key)));
    rows.row(cells);
  }
  return rows.text(0, any_width);
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
  ordered_json items = ordered_json::array();
  for (const std::string& name : list_gpus()) {
    const Gpu gpu = load_gpu(name, {});
    items.push_back({{"name", name},
                     {"title", gpu.title},
                     {"hbm_bytes", gpu.hbm_bytes},
                     {"hbm_bytes_per_s", gpu.hbm_bytes_per_s},
                     {"bf16_flop_per_s", gpu.peaks.bf16_flop_per_s},
                     {"fp8_flop_per_s", gpu.peaks.fp8_flop_per_s},
                     {"nvlink_bytes_per_s", gpu.nvlink_bytes_per_s},
                     {"tdp_w", gpu.power.tdp_w},
                     {"usd_per_hour", gpu.usd_per_hour},
                     {"kernels_from", gpu.derived() ? gpu.kernels_like : name},
                     {"from", library_origin(gpu_folder, name)}});
  }
  return items;
}

std::string gpu_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"GPU", "title", as_text},
                         {"KERNELS MEASURED ON", "kernels_from", as_text},
                         {"MEMORY", "hbm_bytes", as_bytes},
                         {"BANDWIDTH", "hbm_bytes_per_s", as_rate},
                         {"BF16 TFLOP/S", "bf16_flop_per_s", as_teraflop},
                         {"FP8 TFLOP/S", "fp8_flop_per_s", as_teraflop},
                         {"NVLINK", "nvlink_bytes_per_s", as_rate},
                         {"TDP", "tdp_w", as_watts},
                         {"PER HOUR", "usd_per_hour", as_usd},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

ordered_json node_items() {
  ordered_json items = ordered_json::array();
  for (const std::string& name : list_nodes()) {
    const Node node = load_node(name, {});
    items.push_back({{"name", name},
                     {"title", node.title},
                     {"gpus", node.gpus},
                     {"gpu_link", node.gpu_link},
                     {"nics", node.nics},
                     {"nic_bytes_per_s", node.nic_bytes_per_s},
                     {"host_memory_bytes", node.host_memory_bytes},
                     {"overhead_w", node.overhead_w},
                     {"from", library_origin(node_folder, name)}});
  }
  return items;
}

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

ordered_json fabric_items() {
  ordered_json items = ordered_json::array();
  for (const std::string& name : list_fabrics()) {
    const Fabric fabric = load_fabric(name, {});
    items.push_back({{"name", name},
                     {"title", fabric.title},
                     {"topology", fabric.topology},
                     {"nodes_per_leaf", fabric.nodes_per_leaf},
                     {"oversubscription", fabric.oversubscription},
                     {"efficiency_fraction", fabric.efficiency_fraction},
                     {"storage_bytes_per_s", fabric.storage_bytes_per_s},
                     {"from", library_origin(fabric_folder, name)}});
  }
  return items;
}

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

ordered_json engine_items() {
  ordered_json items = ordered_json::array();
  for (const std::string& name : list_engines()) {
    const EngineProfile engine = load_engine(name, {});
    items.push_back({{"name", name},
                     {"title", engine.title},
                     {"basis", engine.basis},
                     {"source", engine.source},
                     {"request_path_s", engine.request_path_s},
                     {"request_token_s", engine.request_token_s},
                     {"frontend_sequence_s", engine.frontend_sequence_s},
                     {"host_step_s", engine.step.host_step_s},
                     {"all_reduce_wait_s", engine.step.all_reduce_wait_s},
                     {"memory_rule", engine.memory.rule},
                     {"from", library_origin(engine_folder, name)}});
  }
  return items;
}

std::string engine_table(const ordered_json& items) {
  const Column columns[]{{"NAME", "name", as_text},
                         {"ENGINE", "title", as_text},
                         {"BASIS", "basis", as_text},
                         {"REQUEST PATH", "request_path_s", as_seconds},
                         {"PER TOKEN", "request_token_s", as_seconds},
                         {"PER SEQUENCE", "frontend_sequence_s", as_seconds},
                         {"HOST STEP", "host_step_s", as_seconds},
                         {"ALL-REDUCE WAIT", "all_reduce_wait_s", as_seconds},
                         {"MEMORY", "memory_rule", as_text},
                         {"FROM", "from", as_text}};
  return table(items, 3, columns);
}

}  // namespace servecast
