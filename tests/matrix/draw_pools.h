#pragma once
#include "tests/matrix/draw.h"
#include "tests/matrix/hardware.h"

namespace servecast::matrix {

/// One to three pools on machines of one kind; sometimes one decodes what another has computed.
Tree draw_pools(Draw draw, const Machine& machine);

/// Nodes of the kind that these pools take, placed one after the other.
std::int64_t nodes_for(const Tree& pools, const Machine& machine);

}  // namespace servecast::matrix
