#pragma once
#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// Stages in front of these pools, in an order that they can have.
Tree draw_gateway(Draw draw, const Tree& pools);

/// How good the answers of all pools and API tiers are.
Tree draw_quality(Draw draw, const Tree& pools, const Tree& gateway);

}  // namespace servecast::matrix
