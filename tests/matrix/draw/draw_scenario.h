#pragma once
#include "tests/matrix/draw/draw.h"

namespace servecast::matrix {

/// A scenario as any user could have written it. The same seed gives the same one.
Tree draw_scenario(std::uint64_t seed);

}  // namespace servecast::matrix
