#include "calibrate/servers/rate_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace servecast {
namespace {

constexpr double widest = 2;         // how far from the measured rate it may lie
constexpr double resolution = 1.01;  // between the last two rates

struct Bracket {
  std::size_t server = 0;
  RateLimits limits{};
  double kept = 0;    // a rate that keeps them, or the least one
  double broken = 0;  // one that does not, or the most
  bool any_kept = false;
  bool any_broken = false;

  double middle() const { return std::sqrt(kept * broken); }
};

std::vector<Bracket> brackets_of(std::span<const MeasuredServer> servers) {
  std::vector<Bracket> brackets;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (const auto& limits = servers[i].limits)
      brackets.push_back(
          {.server = i, .limits = *limits, .kept = limits->near_rate / widest, .broken = limits->near_rate * widest});
  return brackets;
}

MeasuredServer at_rate(MeasuredServer server, double rate, double duration_s) {
  server.settings.push_back(fmt::format("workload.generate.arrivals.poisson.requests_per_s={}", rate));
  server.settings.push_back(fmt::format("workload.generate.requests={}", std::llround(rate * duration_s)));
  return server;
}

bool keeps(const Forecast& forecast, const RateLimits& limits) {
  const auto& summary = forecast.summary;
  return summary && summary->latencies.ttft_s && summary->latencies.ttft_s->p99 <= limits.ttft_s &&
         summary->latencies.tpot_s && summary->latencies.tpot_s->p99 <= limits.tpot_s;
}

void halve(std::vector<Bracket>& brackets, std::span<const MeasuredServer> servers, const ForecastOptions& options) {
  std::vector<MeasuredServer> tried;
  for (const Bracket& b : brackets) tried.push_back(at_rate(servers[b.server], b.middle(), b.limits.duration_s));
  const std::vector<Forecast> forecasts = forecast(tried, options);
  for (std::size_t i = 0; i < brackets.size(); ++i) {
    Bracket& b = brackets[i];
    const bool kept = keeps(forecasts[i], b.limits);
    (kept ? b.any_kept : b.any_broken) = true;
    (kept ? b.kept : b.broken) = b.middle();
  }
}

}  // namespace

void add_highest_rates(std::span<const MeasuredServer> servers, const ForecastOptions& options,
                       std::span<Forecast> forecasts) {
  std::vector<Bracket> brackets = brackets_of(servers);
  if (brackets.empty()) return;
  ForecastOptions plain = options;
  plain.replicates = 0;
  const auto halvings = std::lround(std::ceil(std::log2(2 * std::log(widest) / std::log(resolution))));
  for (long i = 0; i < halvings; ++i) halve(brackets, servers, plain);
  for (const Bracket& b : brackets)
    if (b.any_kept && b.any_broken) forecasts[b.server].highest_rate = b.kept;
}

}  // namespace servecast
