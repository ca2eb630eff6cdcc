#include "calibrate/fit/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "calibrate/fit/peer_access.h"
#include "calibrate/fit/quantizing.h"
#include "models/base/quantile.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {
namespace {

constexpr double most_unphysical_fraction = 0.01;  // of a table; with more of them none of its rows is believed

// Kernels of the smallest shapes take a few microseconds. A table of an attention kernel in which a quarter of all
// rows, of whatever size, take a tenth of a millisecond and more was timed without a CUDA graph: these rows time the
// host.
constexpr double least_host_floor_s = 100e-6;
// Products begin at small shapes that take 5 to 30 us everywhere, so that their floor is lower: vLLM 0.24's table of
// block-scaled fp8 says 60 to 85 us on Hopper and 170 us on B200 for 1 row as for 4,096.
constexpr double least_product_floor_s = 40e-6;
constexpr double on_the_floor = 1.5;
constexpr double fewest_on_the_floor = 0.25;
constexpr std::size_t fewest_rows = 20;  // of a table that tells
constexpr double slowest_kernel = 5;  // times what the data sheet promises; what would be faster is the host, too

/// A repeat that took so much longer than another was disturbed: the faster one counts.
constexpr double disturbed = 1.5;

// Decodes whose reading takes so long show how fast a table's kernel reads. One that takes twice as long as the
// kernel of the same name in another version of the engine is not that kernel: TensorRT-LLM 1.3.0rc10's table for
// GB200 says 0.53 ms where its rc20, vLLM's and SGLang's say 0.055. Likewise experts of Marlin, in int4: vLLM
// 0.19.0's tables say two to four times what 0.14 and 0.24 do.
constexpr double reads_from_s = 50e-6;
constexpr double fallen_back = 2;

double log_deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double sum = 0;
  double squares = 0;
  for (const double value : values) {
    sum += std::log(value);
    squares += std::log(value) * std::log(value);
  }
  const double n = static_cast<double>(values.size());
  return std::sqrt(std::max(0.0, (squares - sum * sum / n) / (n - 1)));
}

double host_floor_s(std::vector<double> seconds, double least_s) {
  if (seconds.size() < fewest_rows) return 0;
  std::ranges::sort(seconds);
  const double floor_s = seconds[seconds.size() / 20];
  const auto above = std::ranges::upper_bound(seconds, on_the_floor * floor_s) - seconds.begin();
  const bool crowded = static_cast<double>(above) >= fewest_on_the_floor * static_cast<double>(seconds.size());
  return crowded && floor_s >= least_s ? floor_s : 0;
}

/// Under which a kernel goes in all versions: each calls Marlin's experts something else.
std::string_view family_of(std::string_view kernel) {
  return kernel.find("marlin") != std::string_view::npos ? "marlin" : kernel;
}

bool is_attention(std::string_view op) {
  return op.find("attention") != std::string_view::npos || op.starts_with("mla_");
}

/// TensorRT-LLM's generated kernels of experts, which FlashInfer ships for all engines.
bool is_shipped(std::string_view kernel) { return kernel.find("flashinfer_trtllm") != std::string_view::npos; }

/// Experts of any shape are asked for with even routing; a skew stands in only where that was not measured. In int4,
/// where no model has a layer of its own, both are asked for.
void leave_skews(std::map<Flavour, FlavourCells>& all) {
  std::erase_if(all, [&](const auto& entry) {
    Flavour even = entry.first;
    even.mode = "balanced";
    return entry.first.op == "moe" && entry.first.dtype != "int4" && entry.first.mode.starts_with("power_law") &&
           all.contains(even);
  });
}

/// A backend of experts that TensorRT-LLM's moe_config.backend names.
constexpr std::string_view cutlass = "cutlass";

/// Its kernels have a mode of their own where another backend's are faster for some shape.
void leave_lone_cutlass(std::map<Flavour, FlavourCells>& all) {
  std::erase_if(all, [&](const auto& entry) {
    const std::string prefix = of_backend(cutlass, "");
    if (!entry.first.mode.starts_with(prefix)) return false;
    Flavour any = entry.first;
    any.mode = any.mode.substr(prefix.size());
    const auto fastest = all.find(any);
    return fastest != all.end() &&
           std::ranges::equal(fastest->second.cells, entry.second.cells, {}, &Cell::seconds, &Cell::seconds);
  });
}

}  // namespace

std::size_t CellCollector::table_of(const Sample& s) {
  const auto same = [&](const Table& t) {
    return t.engine == s.engine && t.version == s.version && t.op == s.op && t.kernel == s.kernel;
  };
  const auto found = std::ranges::find_if(tables_, same);
  if (found != tables_.end()) return static_cast<std::size_t>(found - tables_.begin());
  tables_.push_back({.engine = s.engine, .version = s.version, .op = s.op, .kernel = s.kernel});
  return tables_.size() - 1;
}

void CellCollector::add(const Sample& s) {
  if (!is_fitted(s)) return;
  const Measurement measurement{.table = table_of(s),
                                .seconds = s.median_s,
                                .least_s = least_s(s, gpu_),
                                .unphysical = beats_data_sheet(s, gpu_)};
  Table& table = tables_[measurement.table];
  table.rows += 1;
  table.unphysical += measurement.unphysical ? 1 : 0;
  table.seconds.push_back(s.median_s);
  const bool reads = s.op == "decode_attention" || (s.op == "moe" && s.dtype == "int4");
  if (reads && measurement.least_s >= reads_from_s) table.over_least.push_back(s.median_s / measurement.least_s);
  if (s.op != "moe") return flavours_[flavour_of(s)][s.shape].push_back(measurement);
  if (s.mode == "balanced") group_choice_.add(measurement.table, s.dtype, s.shape, s.median_s);
  Flavour layer = flavour_of(of_layer(s));
  if (const auto known = layers_.find(layer.layer); known != layers_.end())
    if (const std::string mode = layer_mode(s, known->second); !mode.empty()) {
      layer.mode = mode;
      flavours_[layer][s.shape].push_back(measurement);
      if (engine_ == "trtllm" && s.kernel.find("_cutlass") != std::string::npos) {
        layer.mode = of_backend(cutlass, mode);
        flavours_[layer][s.shape].push_back(measurement);
      }
    }
  // Versions differ by half in how they time experts split between GPUs, and shards whose width is no multiple of 64
  // fill their tiles badly: up to twice as slow as their neighbours, which they would spoil.
  if (s.shape.expert_parallel <= 1 && !s.mode.starts_with("wide") &&
      s.shape.n / std::max<std::int64_t>(1, s.shape.tensor_parallel) % 64 == 0)
    flavours_[flavour_of(s)][s.shape].push_back(measurement);
}

bool CellCollector::believed(const Table& table) const {
  return !table.fell_back &&
         static_cast<double>(table.unphysical) <= most_unphysical_fraction * static_cast<double>(table.rows);
}

void CellCollector::find_fallen_back() {
  for (Table& table : tables_)
    for (const Table& other : tables_) {
      if (table.over_least.empty() || other.over_least.empty() ||
          family_of(table.kernel) != family_of(other.kernel) || table.engine != other.engine || table.op != other.op)
        continue;
      table.fell_back |= median(table.over_least) > fallen_back * median(other.over_least);
    }
}

bool CellCollector::usable(const Measurement& measurement) const {
  const Table& table = tables_[measurement.table];
  if (measurement.seconds < on_the_floor * table.host_floor_s) return false;
  if (slowest_kernel * measurement.least_s < table.host_floor_s) return false;
  return !measurement.unphysical && believed(table);
}

/// Products in bf16 are cuBLAS's in both engines: where each was measured once, these are two measurements of one
/// kernel, and noise halves. An engine with several versions has a median of its own. (Vidur's products are of other
/// libraries.) Those in nvfp4 that TensorRT-LLM's tables time take longer than in bf16 where memory bounds both, and
/// half as long again as vLLM's and SGLang's of the same libraries, of which its servers choose the fastest when they
/// start: the other engines' stand in.
std::set<std::string> CellCollector::engines_for(const Flavour& flavour, const std::string& engine) const {
  if (flavour.op == "gemm" && flavour.dtype == "nvfp4" && engine == "trtllm") return {"vllm", "sglang"};
  constexpr std::array both{"vllm", "trtllm"};
  const auto once = [&](const std::string& name) {
    std::set<std::string> versions;
    for (const Table& t : tables_)
      if (t.engine == name && t.op == "gemm") versions.insert(t.version);
    return versions.size() == 1;
  };
  if (flavour.op == "gemm" && flavour.dtype == "bf16" && std::ranges::all_of(both, once))
    return {both.begin(), both.end()};
  return {engine};
}

/// Each engine tunes its kernels for a model's layer, so others do not stand in for it, but where the engine was
/// timed under the routing of trained routers alone: even routing is asked for of experts that are few, or spread
/// over GPUs. There the engine that stands in for experts of any size does so with the layer's own rows.
std::string CellCollector::layer_engine(Flavour flavour, const std::map<std::string, std::int64_t>& rows) const {
  if (flavour.mode != "balanced") return engine_;
  flavour.op = "moe";
  flavour.layer = {};
  const auto even = flavours_.find(flavour);
  flavour.mode = trained_routing;
  const auto trained = flavours_.find(flavour);
  if (even == flavours_.end() || trained == flavours_.end()) return engine_;
  if (best_engine(trained->first, trained->second) != engine_) return engine_;
  const std::string other = best_engine(even->first, even->second);
  return rows.contains(other) ? other : engine_;
}

std::string CellCollector::best_engine(const Flavour& flavour, const Shapes& shapes) const {
  // Engines differ most in how they read a quantised cache: without rows of its own, the law of bf16 over fewer bytes
  // is nearer to an engine than another engine's kernel.
  if (flavour.op == "decode_attention" && flavour.kv_dtype == "fp8") return engine_;
  std::map<std::string, std::int64_t> rows;
  for (const auto& [shape, measurements] : shapes)
    for (const Measurement& one : measurements)
      if (usable(one)) rows[tables_[one.table].engine] += 1;
  if (rows.empty() || rows.contains(engine_)) return engine_;
  if (rows.size() > 1) rows.erase("published");  // figures stand in where no rows were measured
  if (flavour.op == "moe_layer" && !flavour.mode.starts_with("wide")) return layer_engine(flavour, rows);
  if (rows.contains(flavour.mode)) return flavour.mode;                                // nccl: its own benchmark
  return std::ranges::max_element(rows, {}, [](const auto& entry) { return entry.second; })->first;
}

/// "trtllm 1.0.0, vllm 0.14.0, 0.19.0"
std::string CellCollector::sources(const std::set<std::size_t>& tables) const {
  std::map<std::string, std::set<std::string>> versions;
  for (const std::size_t table : tables) versions[tables_[table].engine].insert(tables_[table].version);
  std::string text;
  for (const auto& [engine, list] : versions)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", engine, fmt::join(list, ", "));
  return text;
}

std::set<std::size_t> CellCollector::tables_for(const Flavour& flavour, const Shapes& shapes) const {
  const std::set<std::string> engines = engines_for(flavour, best_engine(flavour, shapes));
  std::set<std::size_t> all;
  std::set<std::size_t> wanted;
  for (const auto& [shape, measurements] : shapes)
    for (const Measurement& one : measurements) {
      if (!engines.contains(tables_[one.table].engine)) continue;
      all.insert(one.table);
      if (usable(one) && expert_versions_.contains(tables_[one.table].version)) wanted.insert(one.table);
    }
  return of_experts(flavour.op) && !wanted.empty() ? wanted : all;
}

/// FlashInfer's kernels of a model's layer, timed under other engines. They stand in for an engine without rows of
/// its own, and stand beside TensorRT-LLM's one kernel where its table knows no other: its servers choose between
/// them (moe_config.backend), as its tables of other types do.
std::set<std::size_t> CellCollector::shipped_for(const Flavour& flavour, const Shapes& shapes,
                                                 const std::set<std::size_t>& own) const {
  if (flavour.op != "moe_layer" || flavour.mode.starts_with("wide")) return {};
  std::set<std::string> kernels;
  std::set<std::size_t> shipped;
  for (const auto& [shape, measurements] : shapes)
    for (const Measurement& one : measurements) {
      if (!usable(one)) continue;
      if (own.contains(one.table))
        kernels.insert(tables_[one.table].kernel);
      else if (is_shipped(tables_[one.table].kernel))
        shipped.insert(one.table);
    }
  const bool chooses = engine_ == "trtllm" && kernels.size() == 1 && !is_shipped(*kernels.begin());
  return kernels.empty() || chooses ? shipped : std::set<std::size_t>{};
}

/// Of one shape: within a version, the fastest of the kernels that it has, since engines choose by that; the median
/// over versions.
std::vector<double> CellCollector::by_version(const std::map<std::size_t, std::vector<double>>& by_table,
                                              const std::set<std::size_t>& shipped) const {
  std::map<std::string, double> versions;
  std::vector<double> of_all;
  for (const auto& [table, seconds] : by_table) {
    const auto [least, most] = std::ranges::minmax(seconds);
    const double one_s = most > disturbed * least ? least : median(seconds);
    if (shipped.contains(table)) {
      of_all.push_back(one_s);
      continue;
    }
    const auto [known, first] = versions.emplace(tables_[table].engine + tables_[table].version, one_s);
    if (!first) known->second = std::min(known->second, one_s);
  }
  std::vector<double> result;
  for (const auto& [version, seconds] : versions)
    result.push_back(of_all.empty() ? seconds : std::min(seconds, median(of_all)));
  return result.empty() ? of_all : result;
}

FlavourCells CellCollector::cells_of(const Flavour& flavour, const Shapes& shapes) const {
  FlavourCells result;
  std::set<std::string> bad;
  std::set<std::size_t> used;
  std::set<std::size_t> tables = tables_for(flavour, shapes);
  const std::set<std::size_t> shipped = shipped_for(flavour, shapes, tables);
  tables.insert(shipped.begin(), shipped.end());
  for (const auto& [shape, measurements] : shapes) {
    std::map<std::size_t, std::vector<double>> by_table;
    for (const Measurement& one : measurements) {
      if (!tables.contains(one.table)) continue;
      const Table& table = tables_[one.table];
      if (!believed(table)) bad.insert(table.engine + " " + table.version + " " + table.kernel);
      if (usable(one))
        by_table[one.table].push_back(one.seconds);
      else
        result.left_out_rows += 1;
    }
    if (by_table.empty()) continue;
    for (const auto& [table, seconds] : by_table) {
      used.insert(table);
      result.host_bound |= tables_[table].host_floor_s > 0 && is_attention(tables_[table].op);
    }
    const std::vector<double> medians = by_version(by_table, shipped);
    result.cells.push_back({.shape = shape,
                            .seconds = median(medians),
                            .spread = log_deviation(medians),
                            .held_out = is_held_out(flavour, shape)});
  }
  result.source = sources(used);
  result.left_out_tables = fmt::format("{}", fmt::join(bad, ", "));
  return result;
}

std::map<Flavour, FlavourCells> CellCollector::finish() {
  for (Table& table : tables_)
    if (is_attention(table.op))
      table.host_floor_s = host_floor_s(table.seconds, least_host_floor_s);
    else if (table.op == "gemm")
      table.host_floor_s = host_floor_s(table.seconds, least_product_floor_s);
  mend_group_choice();
  find_fallen_back();
  std::map<Flavour, FlavourCells> all;
  for (const auto& [flavour, shapes] : flavours_) {
    FlavourCells cells = cells_of(flavour, shapes);
    if (!cells.cells.empty()) all.emplace(flavour, std::move(cells));
  }
  leave_lone_cutlass(all);
  leave_skews(all);
  leave_without_peer_access(all);
  if (engine_ == "trtllm") add_quantizing(all);
  return all;
}

}  // namespace servecast
