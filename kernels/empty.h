#pragma once
#include "kernels/stream.h"

namespace servecast {

/// One block that does nothing: what a launch costs by itself.
void start_empty(Stream stream);

}  // namespace servecast
