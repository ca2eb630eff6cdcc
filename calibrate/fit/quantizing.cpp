#include "calibrate/fit/quantizing.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "models/base/quantile.h"

namespace servecast {
namespace {

constexpr std::int64_t narrow = 128;
constexpr std::int64_t bytes_per_number = 3;

using Seconds = std::map<std::int64_t, double>;  // of passes over so many bytes

std::int64_t pass_bytes(const KernelShape& product) { return bytes_per_number * product.m * product.k; }

double launch_s(const std::vector<Cell>& cells) { return std::ranges::min(cells, {}, &Cell::seconds).seconds; }

/// Medians over the narrow products that read as much.
Seconds passes(const std::vector<Cell>& fp8, const std::vector<Cell>& bf16) {
  std::map<KernelShape, double> bf16_s;
  for (const Cell& cell : bf16) bf16_s[cell.shape] = cell.seconds;
  const double launch = launch_s(bf16);
  std::map<std::int64_t, std::vector<double>> beyond;
  for (const Cell& cell : fp8) {
    const auto same = bf16_s.find(cell.shape);
    if (cell.shape.n > narrow || same == bf16_s.end()) continue;
    const double product_s = launch + (same->second - launch) / 2;
    if (cell.seconds > product_s) beyond[pass_bytes(cell.shape)].push_back(cell.seconds - product_s);
  }
  Seconds seconds;
  for (auto& [bytes, values] : beyond) seconds[bytes] = median(std::move(values));
  return seconds;
}

FlavourCells pass_cells(const Flavour& flavour, const Seconds& seconds, const std::string& source) {
  FlavourCells result{.source = source};
  for (const auto& [bytes, s] : seconds) {
    const KernelShape shape{.bytes = bytes};
    result.cells.push_back({.shape = shape, .seconds = s, .held_out = is_held_out(flavour, shape)});
  }
  return result;
}

}  // namespace

void add_quantizing(std::map<Flavour, FlavourCells>& cells) {
  const auto fp8 = cells.find({.op = "gemm", .dtype = "fp8"});
  const auto bf16 = cells.find({.op = "gemm", .dtype = "bf16"});
  if (fp8 == cells.end() || bf16 == cells.end()) return;
  const Seconds seconds = passes(fp8->second.cells, bf16->second.cells);
  const Flavour flavour{.op = "elementwise", .mode = "quantize"};
  if (!seconds.empty()) cells.emplace(flavour, pass_cells(flavour, seconds, fp8->second.source));
}

}  // namespace servecast
