#pragma once
#include <algorithm>
#include <array>

#include "calibrate/servers/measured_server.h"

namespace servecast {

/// What forecasts of a regime are held to, on rows that nothing was fitted on: shares of what was measured.
struct Asked {
  Regime regime;
  ServerFigure figure;
  double median;
  double p90;  // 0: none
};
inline constexpr std::array<Asked, 23> asked{{
    {Regime::open_loop, ServerFigure::e2e_mean, 0.015, 0.04},
    {Regime::open_loop, ServerFigure::tpot_mean, 0.015, 0.04},
    {Regime::open_loop, ServerFigure::ttft_mean, 0.025, 0.08},
    {Regime::open_loop, ServerFigure::ttft_p99, 0.08, 0.30},
    {Regime::closed_loop_vllm, ServerFigure::tpot_mean, 0.03, 0.08},
    {Regime::closed_loop_vllm, ServerFigure::ttft_mean, 0.07, 0.15},
    {Regime::closed_loop_others, ServerFigure::tpot_mean, 0.05, 0.12},
    {Regime::closed_loop_others, ServerFigure::ttft_mean, 0.10, 0.20},
    {Regime::closed_loop_experts, ServerFigure::tpot_mean, 0.07, 0.20},
    {Regime::closed_loop_experts, ServerFigure::ttft_mean, 0.15, 0.30},
    {Regime::blackwell, ServerFigure::tpot_mean, 0.08, 0.25},
    {Regime::blackwell, ServerFigure::ttft_mean, 0.15, 0.35},
    {Regime::disaggregated, ServerFigure::tpot_mean, 0.08, 0.20},
    {Regime::disaggregated, ServerFigure::ttft_mean, 0.20, 0.40},
    {Regime::disaggregated, ServerFigure::output_tokens_per_s, 0.10, 0},
    {Regime::offline, ServerFigure::output_tokens_per_s, 0.06, 0.15},
    {Regime::mlperf, ServerFigure::highest_rate, 0.08, 0},
    {Regime::router_ladder, ServerFigure::output_tokens_per_s, 0.05, 0},
    {Regime::router_ladder, ServerFigure::ttft_mean, 0.20, 0},
    {Regime::kv_tiers, ServerFigure::ttft_mean, 0.15, 0},
    {Regime::kv_tiers, ServerFigure::host_hit_fraction, 0.044, 0},  // two points of 45.1
    {Regime::kv_transfers, ServerFigure::kv_transfer_mean, 0.15, 0},
    {Regime::cold_start, ServerFigure::start, 0.15, 0},
}};

/// Null where nothing is asked.
constexpr const Asked* asked_of(Regime regime, ServerFigure figure) {
  const auto* found =
      std::ranges::find_if(asked, [&](const Asked& a) { return a.regime == regime && a.figure == figure; });
  return found == asked.end() ? nullptr : found;
}

}  // namespace servecast
