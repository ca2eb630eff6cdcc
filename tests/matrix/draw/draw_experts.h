#pragma once
#include "tests/matrix/draw/draw.h"
#include "tests/matrix/draw/hardware.h"

namespace servecast::matrix {

/// Of a pool whose experts are spread over GPUs: how tokens reach them, and how evenly.
void add_exchange(Draw draw, const Fitted& fitted, Tree& pool);

/// Now and then: experts of a mixture partly in host memory or on disk.
void add_offload(Draw draw, const Model& model, Tree& pool);

}  // namespace servecast::matrix
