#pragma once
#include <cstdint>

#include "kernels/device/stream.h"

namespace servecast {

/// Blocks that lie scattered, put side by side by one kernel, so that one copy can take them to the host; or back.
struct KvGather {
  const void* from = nullptr;
  void* to = nullptr;
  const std::int32_t* blocks = nullptr;  // [count]
  int count = 0;
  std::int64_t block_bytes = 0;  // a multiple of 16
};
/// to[i] = from[blocks[i]]
void gather_blocks(const KvGather& gather, Stream stream);
/// to[blocks[i]] = from[i]
void scatter_blocks(const KvGather& gather, Stream stream);

}  // namespace servecast
