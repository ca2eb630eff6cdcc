#pragma once
#include "tests/matrix/draw.h"

namespace servecast::matrix {

/// What there is that can break.
struct Parts {
  std::int64_t nodes = 1;
  std::int64_t node_gpus = 8;
  std::int64_t replicas = 1;
  bool spine = false;  // leaf switches have cables to one
};

Tree draw_failures(Draw draw, const Parts& parts);

}  // namespace servecast::matrix
