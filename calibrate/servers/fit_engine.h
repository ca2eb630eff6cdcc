#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "models/hw/engine/engine_profile.h"

namespace servecast {

struct ForecastOptions;
struct MeasuredServer;

/// An engine's terms as its own servers show them.
struct EngineFit {
  EngineProfile engine{};
  std::int64_t figures = 0;  // that were fitted: mean TTFT, TPOT and tokens/s of every stage that was not overloaded
  double median_error_before = 0;  // of these
  double median_error_after = 0;
};

/// Fits request path, front end per sequence, wait at all-reduces, sampler, host time and launches outside graphs by
/// least squares on the logarithm of forecast over measured, each figure with a robust loss. What the servers do not
/// show (the wait where all run on one GPU, the sampler where none sorts, host time where steps hide it, a term of 0)
/// stays at `start`: every term is held to it by a prior of half its size.
EngineFit fit_engine(const EngineProfile& start, std::span<const MeasuredServer> servers, const ForecastOptions& how);

/// `engine` with round values, which no fit has made, for the terms that vLLM's open loop shows: a fit from them does
/// not depend on the one before. A term of 0 stays.
EngineProfile with_round_terms(EngineProfile engine);

/// The file of an engine profile.
std::string engine_yaml(const EngineProfile& engine);

}  // namespace servecast
