#pragma once
#include <string>

namespace servecast {

/// What is wrong with a setting of a pool.
struct PoolProblem {
  std::string key{};  // below the pool's
  std::string message{};
};

}  // namespace servecast
