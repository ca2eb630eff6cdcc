#include "calibrate/fit/profile_fit.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "calibrate/fit/grid_fit.h"
#include "calibrate/fit/law_fit.h"
#include "calibrate/fit/rounded.h"
#include "calibrate/fit/tiles.h"
#include "calibrate/fit/transfer_fit.h"
#include "models/hw/profile/operator_model.h"

namespace servecast {
namespace {

/// Ends of the regions of the spread: launch-bound, small, large.
const std::vector<double> region_ends_s{2e-5, 1e-4, 1e-3};
/// The two kernels of latent attention in a CUDA graph: 16 to 26 us on an H100 and an H200. Stands in where every row
/// that could tell it timed the host.
constexpr double graph_launch_s = 25e-6;
constexpr double largest_log_error = 0.3;  // what a row far off counts for in the spread

/// What the file keeps: 5 digits.
KernelLaw as_kept(KernelLaw law) {
  for (double KernelLaw::*value : {&KernelLaw::launch_s, &KernelLaw::flop_per_s, &KernelLaw::bytes_per_s,
                                   &KernelLaw::sharpness, &KernelLaw::ramp_length})
    law.*value = rounded(law.*value, 5);
  return law;
}

double error_at(const std::vector<double>& sorted, double part) {
  if (sorted.empty()) return 0;
  return sorted[static_cast<std::size_t>(part * static_cast<double>(sorted.size() - 1) + 0.5)];
}

/// Root mean square of the log errors per region; a region without rows takes that of all.
std::vector<double> spread_by_region(const std::vector<std::pair<double, double>>& seconds_and_error) {
  std::vector<double> squares(region_ends_s.size() + 1);
  std::vector<double> counts(squares.size());
  double all_squares = 0;
  for (const auto& [seconds, error] : seconds_and_error) {
    const auto region = std::ranges::upper_bound(region_ends_s, seconds) - region_ends_s.begin();
    const double square = std::pow(std::min(std::abs(error), largest_log_error), 2);
    squares[static_cast<std::size_t>(region)] += square;
    counts[static_cast<std::size_t>(region)] += 1;
    all_squares += square;
  }
  const double mean = all_squares / std::max(1.0, static_cast<double>(seconds_and_error.size()));
  std::vector<double> spread;
  for (std::size_t i = 0; i < squares.size(); ++i)
    spread.push_back(rounded(std::sqrt(counts[i] > 0 ? squares[i] / counts[i] : mean), 3));
  return spread;
}

std::vector<GridRow> grid_rows(const std::vector<Cell>& cells, const FittedOperator& fitted) {
  const OperatorKind& kind = *operator_kind(fitted.op);
  const NumberSizes numbers = number_sizes(fitted.dtype, fitted.kv_dtype);
  std::vector<GridRow> rows;
  for (const Cell& cell : cells)
    rows.push_back({.sizes = kind.sizes(cell.shape),
                    .log_ratio = std::log(cell.seconds / fitted.law(kind.work(cell.shape, numbers)).seconds)});
  return rows;
}

}  // namespace

FitEvidence judge(const FittedOperator& fitted, const std::vector<Cell>& cells) {
  const OperatorModel model(fitted);
  FitEvidence evidence = fitted.evidence;
  std::vector<double> errors;
  std::vector<std::pair<double, double>> logs;
  for (const Cell& cell : cells) {
    if (!cell.held_out) continue;
    const double seconds = model(cell.shape).seconds;
    errors.push_back(std::abs(seconds / cell.seconds - 1));
    logs.emplace_back(seconds, std::log(seconds / cell.seconds));
  }
  std::ranges::sort(errors);
  evidence.held_out_rows = static_cast<std::int64_t>(errors.size());
  evidence.rows = static_cast<std::int64_t>(cells.size() - errors.size());
  evidence.median_error = rounded(error_at(errors, 0.5), 3);
  evidence.p90_error = rounded(error_at(errors, 0.9), 3);
  evidence.p95_error = rounded(error_at(errors, 0.95), 3);
  evidence.spread_up_to_s = region_ends_s;
  evidence.spread_fraction = spread_by_region(logs);
  return evidence;
}

FittedOperator fit_operator(const Flavour& flavour, const FlavourCells& all) {
  const OperatorKind& kind = *operator_kind(flavour.op);
  FittedOperator fitted{.op = flavour.op,
                        .dtype = flavour.dtype,
                        .kv_dtype = flavour.kv_dtype,
                        .mode = flavour.mode,
                        .head_dim = flavour.head_dim,
                        .layer = flavour.layer};
  const NumberSizes numbers = number_sizes(flavour.dtype, flavour.kv_dtype);
  std::vector<Cell> train;
  std::ranges::copy_if(all.cells, std::back_inserter(train), [](const Cell& cell) { return !cell.held_out; });
  if (fitted.op == "gemm") fitted.tile_rows = tile_rows(train);
  for (Cell& cell : train) cell.shape = fill_tiles(cell.shape, fitted.tile_rows);
  std::vector<LawRow> law_rows;
  for (const Cell& cell : train)
    law_rows.push_back({.work = kind.work(cell.shape, numbers), .seconds = cell.seconds});
  fitted.law = as_kept(all.host_bound ? fit_law(law_rows, graph_launch_s) : fit_law(law_rows));
  fitted.residual = fit_grid(kind, grid_rows(train, fitted));
  fitted.evidence.source = all.source;
  fitted.evidence.left_out_rows = all.left_out_rows;
  fitted.evidence.left_out_tables = all.left_out_tables;
  fitted.evidence = judge(fitted, all.cells);
  if (!fitted.layer.any()) fitted.residual = fit_grid(kind, grid_rows(all.cells, fitted));
  fitted.residual = coarser(std::move(fitted.residual));
  return fitted;
}

KernelProfile fit_profile(const ProfileFitInputs& in, const std::function<void(const FittedOperator&)>& fitted) {
  KernelProfile profile{.name = in.gpu.name + "." + in.engine,
                        .title = in.gpu.title + ", kernels of " + in.engine,
                        .gpu = in.gpu.name,
                        .engine = in.engine,
                        .elementwise_bytes_per_s = in.gpu.kernels.value().elementwise_bytes_per_s,
                        .transfers = fit_transfers(in.cells)};
  for (const auto& [flavour, cells] : in.cells) {
    if (is_copy(flavour.op)) continue;
    // What is held out of a model's own layer joins its grid in the end.
    const auto left_for_fit =
        flavour.layer.any() ? std::ranges::count(cells.cells, false, &Cell::held_out) : std::ssize(cells.cells);
    if (static_cast<std::size_t>(left_for_fit) < fewest_cells) continue;
    profile.operators.push_back(fit_operator(flavour, cells));
    fitted(profile.operators.back());
  }
  return profile;
}

KernelProfile with_kept(KernelProfile kept, KernelProfile fitted) {
  std::erase_if(kept.transfers, [&](const TransferLaw& law) {
    return std::ranges::any_of(
        fitted.transfers, [&](const TransferLaw& own) { return own.op == law.op && own.pageable == law.pageable; });
  });
  std::erase_if(kept.operators, [&](const FittedOperator& old) {
    return is_copy(old.op) || std::ranges::any_of(fitted.operators, [&](const FittedOperator& own) {
             return own.op == old.op && own.dtype == old.dtype && own.kv_dtype == old.kv_dtype &&
                    own.mode == old.mode && own.head_dim == old.head_dim && own.layer == old.layer;
           });
  });
  kept.transfers.insert(kept.transfers.end(), fitted.transfers.begin(), fitted.transfers.end());
  kept.operators.insert(kept.operators.end(), fitted.operators.begin(), fitted.operators.end());
  return kept;
}

}  // namespace servecast
