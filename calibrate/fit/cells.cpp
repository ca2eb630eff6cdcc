#include "calibrate/fit/cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "calibrate/fit/quantizing.h"
#include "models/base/quantile.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {
namespace {

constexpr double cache_bytes = 100e6;              // twice the 50 MB L2 of an H100
constexpr double most_unphysical_fraction = 0.01;  // of a table; with more of them none of its rows is believed

// Kernels of the smallest shapes take a few microseconds. A table of an attention kernel in which a quarter of all
// rows, of whatever size, take a tenth of a millisecond and more was timed without a CUDA graph: these rows time the
// host.
constexpr double least_host_floor_s = 100e-6;
constexpr double on_the_floor = 1.5;
constexpr double fewest_on_the_floor = 0.25;
constexpr double slowest_kernel = 5;  // times what the data sheet promises; what would be faster is the host, too

constexpr std::int64_t most_expert_slices = 8;
constexpr std::int64_t most_expert_parallel = 64;  // beyond, DeepEP's tables go on
/// A repeat that took so much longer than another was disturbed: the faster one counts.
constexpr double disturbed = 1.5;

constexpr double least_moe_share = 2.0 / 3;  // some experts have two matrices, and uneven routing touches fewer

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

double host_floor_s(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  const double floor_s = seconds[seconds.size() / 20];
  const auto above = std::ranges::upper_bound(seconds, on_the_floor * floor_s) - seconds.begin();
  const bool crowded = static_cast<double>(above) >= fewest_on_the_floor * static_cast<double>(seconds.size());
  return crowded && floor_s >= least_host_floor_s ? floor_s : 0;
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}
bool of_experts(std::string_view op) { return op == "moe" || op == "moe_layer"; }
bool takes_dtype(std::string_view op) {
  return op == "gemm" || op == "mla_bmm" || of_experts(op) || op.starts_with("ep_");
}
bool is_collective(std::string_view op) {
  return op.starts_with("all_") || op == "reduce_scatter" || op.starts_with("ep_") || op == "p2p";
}

/// Experts of any shape are asked for with even routing; a skew stands in only where that was not measured.
void leave_skews(std::map<Flavour, FlavourCells>& all) {
  std::erase_if(all, [&](const auto& entry) {
    Flavour even = entry.first;
    even.mode = "balanced";
    return entry.first.op == "moe" && entry.first.mode.starts_with("power_law") && all.contains(even);
  });
}

/// Of a model's own layer on one group of GPUs, routing as skewed as that of trained routers over many experts; even
/// routing where these are few, or spread over GPUs whose loads the simulator knows by itself.
bool is_layer_fitted(const Sample& s) {
  if (s.mode.starts_with("wide")) return true;
  const bool skewed = s.shape.experts >= fine_grained_experts && s.shape.expert_parallel == 1;
  return s.mode == (skewed ? trained_routing : "balanced");
}

}  // namespace

Flavour flavour_of(const Sample& s) {
  return {.op = s.op,
          .dtype = takes_dtype(s.op) || s.mode == "module" ? s.dtype : "",
          .kv_dtype = s.kv_dtype,
          .mode = s.mode,
          .head_dim = s.shape.head_dim,
          .layer = s.op == "moe_layer" ? ExpertLayer{.hidden = s.shape.k,
                                                     .width = s.shape.n,
                                                     .experts = s.shape.experts,
                                                     .top_k = s.shape.top_k}
                                       : ExpertLayer{}};
}

bool is_fitted(const Sample& s) {
  if (s.mode.starts_with("module") || s.dtype == "fp8_static") return false;
  if (s.op == "elementwise") return s.mode != "scale_matrix" && s.mode != "compute_scale";
  if (s.op.starts_with("ep_")) return s.mode == "normal" || s.mode == "ll";
  if (s.op == "moe")
    return is_one_of(s.mode, {"balanced", trained_routing, "wide_prefill", "wide_decode"}) &&
           !s.kernel.ends_with("_nongated") && s.shape.tensor_parallel <= most_expert_slices &&
           (s.shape.expert_parallel <= most_expert_parallel || s.mode.starts_with("wide"));
  if (s.op != "prefill_attention" && s.op != "decode_attention") return true;
  const std::int64_t head = s.shape.head_dim;
  const bool wanted_head = head == 64 || head == 128 || (s.kv_dtype != "fp8" && head == 256);
  return wanted_head && s.shape.window == 0 && (s.op == "decode_attention" || s.shape.tokens == s.shape.context);
}

Sample of_layer(Sample experts) {
  experts.op = "moe_layer";
  return experts;
}

bool is_held_out(const Flavour& f, const KernelShape& s) {
  std::string text = f.op + "|" + f.dtype + "|" + f.kv_dtype + "|" + f.mode;
  for (const std::int64_t size :
       {s.m, s.n, s.k, s.sequences, s.tokens, s.context, s.q_heads, s.kv_heads, s.head_dim, s.window, s.experts,
        s.top_k, s.tensor_parallel, s.expert_parallel, s.bytes, s.ranks})
    text += "|" + std::to_string(size);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % 5 == 0;
}

bool beats_data_sheet(const Sample& s, const Gpu& gpu) {
  if (is_collective(s.op) || s.mode == "module") return false;  // a module's work is not modelled
  const KernelWork work = operator_kind(s.op)->work(s.shape, number_sizes(s.dtype, s.kv_dtype));
  const double fastest = peak_flop_per_s(gpu, s.dtype);
  if (of_experts(s.op)) return fastest > 0 && least_moe_share * work.flop / fastest > s.median_s;
  if (fastest > 0 && work.flop / fastest > s.median_s) return true;
  return work.bytes > cache_bytes && work.bytes / gpu.hbm_bytes_per_s > s.median_s;
}

double least_s(const Sample& s, const Gpu& gpu) {
  const KernelWork work = operator_kind(s.op)->work(s.shape, number_sizes(s.dtype, s.kv_dtype));
  const double flop_per_s = peak_flop_per_s(gpu, s.dtype);
  return std::max(work.bytes / gpu.hbm_bytes_per_s, flop_per_s > 0 ? work.flop / flop_per_s : 0);
}

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
  if (s.op != "moe") return flavours_[flavour_of(s)][s.shape].push_back(measurement);
  const Flavour layer = flavour_of(of_layer(s));
  if (layers_.contains(layer.layer) && s.dtype != "int4" && is_layer_fitted(s))
    flavours_[layer][s.shape].push_back(measurement);
  // Versions differ by half in how they time experts split between GPUs, and shards whose width is no multiple of 64
  // fill their tiles badly: up to twice as slow as their neighbours, which they would spoil.
  if (s.shape.expert_parallel <= 1 && !s.mode.starts_with("wide") &&
      s.shape.n / std::max<std::int64_t>(1, s.shape.tensor_parallel) % 64 == 0)
    flavours_[flavour_of(s)][s.shape].push_back(measurement);
}

bool CellCollector::believed(const Table& table) const {
  return static_cast<double>(table.unphysical) <= most_unphysical_fraction * static_cast<double>(table.rows);
}

bool CellCollector::usable(const Measurement& measurement) const {
  const Table& table = tables_[measurement.table];
  if (measurement.seconds < on_the_floor * table.host_floor_s) return false;
  if (slowest_kernel * measurement.least_s < table.host_floor_s) return false;
  return !measurement.unphysical && believed(table);
}

/// Products in bf16 are cuBLAS's in both engines: where each was measured once, these are two measurements of one
/// kernel, and noise halves. An engine with several versions has a median of its own. (Vidur's products are of other
/// libraries.)
std::set<std::string> CellCollector::engines_for(const Flavour& flavour, const std::string& engine) const {
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
  if (flavour.op == "moe_layer" && !flavour.mode.starts_with("wide")) return engine_;  // tuned for it by each engine
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

/// Of one shape: within a version, the fastest of the kernels that it has, since engines choose by that; the median
/// over versions.
FlavourCells CellCollector::cells_of(const Flavour& flavour, const Shapes& shapes) const {
  FlavourCells result;
  std::set<std::string> bad;
  std::set<std::size_t> used;
  const std::set<std::size_t> tables = tables_for(flavour, shapes);
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
    std::map<std::string, double> by_version;
    for (const auto& [table, seconds] : by_table) {
      used.insert(table);
      result.host_bound |= tables_[table].host_floor_s > 0;
      const auto [least, most] = std::ranges::minmax(seconds);
      const double one_s = most > disturbed * least ? least : median(seconds);
      const auto [known, first] = by_version.emplace(tables_[table].engine + tables_[table].version, one_s);
      if (!first) known->second = std::min(known->second, one_s);
    }
    std::vector<double> medians;
    for (const auto& [version, seconds] : by_version) medians.push_back(seconds);
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
    if (table.op.find("attention") != std::string::npos || table.op.starts_with("mla_"))
      table.host_floor_s = host_floor_s(table.seconds);
  std::map<Flavour, FlavourCells> all;
  for (const auto& [flavour, shapes] : flavours_) {
    FlavourCells cells = cells_of(flavour, shapes);
    if (!cells.cells.empty()) all.emplace(flavour, std::move(cells));
  }
  leave_skews(all);
  if (engine_ == "trtllm") add_quantizing(all);
  return all;
}

}  // namespace servecast
