#pragma once
#include <optional>

#include "sim/input/resolve/pool_problem.h"

namespace servecast {

struct Pool;

/// Layers that keep a bounded part of a sequence get groups of their own, where the engine keeps these apart and the
/// cache can. States of linear attention are always kept apart.
std::optional<PoolProblem> group_layers(Pool& pool);

/// Notes on the parts of a model that no profile has: attention whose time is derived.
void add_model_notes(Pool& pool);

}  // namespace servecast
