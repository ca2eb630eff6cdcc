#pragma once
#include <driver_types.h>

#include <string>

namespace servecast {

/// The first GPU that CUDA shows. Throws DeviceError where there is none that our kernels are built for. Opens
/// nothing on it.
cudaDeviceProp first_gpu();

/// Its bus, as CUDA writes it. Throws as first_gpu().
std::string first_gpu_bus_id();

}  // namespace servecast
