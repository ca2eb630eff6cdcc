#pragma once
#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// 100 to 300 requests for these pools (60 where experts are loaded), from one source or several, with the labels
/// that a policy reads.
Tree draw_workload(Draw draw, const Tree& pools, const Tree& gateway);

}  // namespace servecast::matrix
