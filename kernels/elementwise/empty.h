#pragma once
#include "kernels/device/stream.h"

namespace servecast {

/// One block that does nothing: what a launch costs by itself.
void start_empty(Stream stream);

}  // namespace servecast
