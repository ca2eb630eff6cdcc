#pragma once
#include <vector>

#include "tests/matrix/draw/draw.h"
#include "tests/matrix/draw/hardware.h"

namespace servecast::matrix {

/// One to three pools, in turn on machines of these kinds; sometimes one decodes what another has computed.
Tree draw_pools(Draw draw, const std::vector<Machine>& machines);

/// Nodes of the kind that the pools with its GPUs take, placed one after the other.
std::int64_t nodes_for(const Tree& pools, const Machine& machine);

}  // namespace servecast::matrix
