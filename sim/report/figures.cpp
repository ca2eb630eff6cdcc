#include "sim/report/figures.h"

#include <algorithm>
#include <array>

#include "sim/report/human.h"

namespace servecast {
namespace {

using Latency = std::optional<Statistics> Latencies::*;
using Number = double Statistics::*;

template <Latency latency, Number number>
std::optional<double> latency_of(const Summary& s) {
  if (!(s.latencies.*latency)) return std::nullopt;
  return (*(s.latencies.*latency)).*number;
}

/// Of the pool that loses most; none where no pool trades answers for speed.
std::optional<double> lost_points(const Summary& s) {
  std::optional<double> most;
  const auto take = [&](std::optional<double> points) {
    if (points) most = std::max(most.value_or(0), *points);
  };
  for (const ExpertSummary& pool : s.expert_offload)
    if (pool.quality_lost_fraction) take(100 * *pool.quality_lost_fraction);
  for (const EarlyExitSummary& pool : s.early_exits) take(pool.lost_points);
  return most;
}

constexpr std::array<Figure, 15> all_figures{{
    {"requests_per_s", "requests/s", false, human::number,
     [](const Summary& s) { return std::optional(s.requests_per_s); }},
    {"output_tokens_per_s", "tokens/s", false, human::number,
     [](const Summary& s) { return std::optional(s.output_tokens_per_s); }},
    {"ttft_mean_s", "TTFT mean", false, human::seconds, latency_of<&Latencies::ttft_s, &Statistics::mean>},
    {"ttft_p99_s", "P99", false, human::seconds, latency_of<&Latencies::ttft_s, &Statistics::p99>},
    {"tpot_mean_s", "TPOT mean", false, human::seconds, latency_of<&Latencies::tpot_s, &Statistics::mean>},
    {"tpot_p99_s", "P99", false, human::seconds, latency_of<&Latencies::tpot_s, &Statistics::p99>},
    {"e2e_mean_s", "E2E mean", false, human::seconds, latency_of<&Latencies::e2e_s, &Statistics::mean>},
    {"e2e_p99_s", "P99", false, human::seconds, latency_of<&Latencies::e2e_s, &Statistics::p99>},
    {"attained_fraction", "SLO kept", false, human::percent,
     [](const Summary& s) { return s.slo.attained_fraction; }},
    {"goodput_requests_per_s", "goodput/s", false, human::number,
     [](const Summary& s) { return s.slo.goodput_requests_per_s; }},
    {"usd_per_hour", "per hour", true, human::usd,
     [](const Summary& s) { return std::optional(s.cost.usd_per_hour); }},
    {"usd_per_million_output_tokens", "per M tokens", false, human::usd,
     [](const Summary& s) { return s.cost.usd_per_million_output_tokens; }},
    {"energy_j", "energy", true, human::joules, [](const Summary& s) { return std::optional(s.energy.j_total); }},
    {"j_per_output_token", "J/token", false, human::number,
     [](const Summary& s) { return s.energy.j_per_output_token; }},
    {"lost_points", "points lost", false, human::number, lost_points},
}};

}  // namespace

std::span<const Figure> figures() { return all_figures; }

}  // namespace servecast
