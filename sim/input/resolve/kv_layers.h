#pragma once
#include <optional>
#include <string>

namespace servecast {

struct Pool;

/// What is wrong with a setting of a pool.
struct PoolProblem {
  std::string key{};  // below the pool's
  std::string message{};
};

/// Layers that keep a bounded part of a sequence get groups of their own, where the engine keeps these apart and the
/// cache can. States of linear attention are always kept apart.
std::optional<PoolProblem> group_layers(Pool& pool);

/// Notes on the parts of a model that no profile has: attention whose time is derived, encoders that never run.
void add_model_notes(Pool& pool);

}  // namespace servecast
