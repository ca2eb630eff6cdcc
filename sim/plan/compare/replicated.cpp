#include "sim/plan/compare/replicated.h"

#include <nlohmann/json.hpp>

namespace servecast {
namespace {

double spread(const Summary& best) {
  return wider_by(best) * nlohmann::json::parse(best.settings).at("calibration_spread").get<double>();
}

RunRequest drawn(const RunRequest& request, const Summary& best, std::int64_t draw) {
  RunRequest other = request;
  other.seed = best.seed + draw;
  other.calibration_draw = draw;
  other.set.push_back("calibration_spread=" + nlohmann::json(spread(best)).dump());
  return other;
}

void take(Replicated& drawn, RunResult result, std::int64_t draw) {
  if (result.summary)
    drawn.draws.push_back(std::move(*result.summary));
  else if (drawn.failure.empty())
    drawn.failure = "draw " + std::to_string(draw) + ": " + result.failure;
}

}  // namespace

std::optional<Interval> Replicated::interval() const {
  if (!best || draws.empty()) return std::nullopt;
  return interval_of(*best, draws);
}

std::vector<Replicated> evaluate_replicated(Evaluator& evaluator, std::span<const RunRequest> requests,
                                            std::int64_t draws) {
  std::vector<Replicated> all;
  std::vector<RunRequest> more;
  for (RunResult& result : evaluator.evaluate(requests)) {
    const RunRequest& request = requests[all.size()];
    all.push_back({.key = result.key, .best = std::move(result.summary), .draws = {}, .failure = result.failure});
    if (!all.back().best) continue;
    for (std::int64_t draw = 1; draw <= draws; ++draw) more.push_back(drawn(request, *all.back().best, draw));
  }
  if (more.empty()) return all;
  std::vector<RunResult> results = evaluator.evaluate(more);
  std::size_t next = 0;
  for (Replicated& one : all) {
    if (!one.best) continue;
    for (std::int64_t draw = 1; draw <= draws; ++draw) take(one, std::move(results[next++]), draw);
  }
  return all;
}

}  // namespace servecast
