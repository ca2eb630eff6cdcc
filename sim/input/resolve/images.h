#pragma once
#include <cstddef>
#include <optional>

#include "sim/input/resolve/pool_problem.h"

namespace servecast {

struct Pool;
struct ScenarioSpec;

/// Whether requests that this pool may serve bring images: any of them, behind a gateway.
bool brings_images(const ScenarioSpec& scenario, std::size_t pool);

/// Images for a pool of a model that has no encoder, and no gateway that could send them elsewhere.
std::optional<PoolProblem> images_problem(const ScenarioSpec& scenario, const Pool& pool);

/// `pool.latency` with images encoded, where requests bring some and the model has an encoder; what that rests on is
/// in the pool's notes.
void add_images(Pool& pool);

}  // namespace servecast
