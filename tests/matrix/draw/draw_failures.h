#pragma once
#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// What there is that can break.
struct Parts {
  std::int64_t nodes = 0;
  std::int64_t node_gpus = 8;
  std::int64_t replicas = 1;
  bool spine = false;           // leaf switches have cables to one
  bool trunk = false;           // a link between groups
  bool several_groups = false;  // each with spares of its own
  bool scales = false;          // a pool has an autoscaler
};

Tree draw_failures(Draw draw, const Parts& parts);

}  // namespace servecast::matrix
