#pragma once
#include <cstddef>

namespace servecast {

/// What runs the kernels of a test program: the emulation, or a GPU. One of two files is linked.

/// Memory that kernels and tests both reach, aligned to 256 bytes.
void* kernel_memory(std::size_t bytes);
void free_kernel_memory(void* data);
/// Waits for all kernels. Throws std::runtime_error where one failed.
void finish_kernels();

}  // namespace servecast
