#pragma once
/// Copies in boxes on the host; included by kernels/device/emulation.h only. They happen at once, or when no thread
/// can go on without them, as a test asks.
#include "kernels/device/device.h"

#define __grid_constant__

namespace servecast {
namespace emulation {

/// For the emulation of blocks: a block begins, and has ended.
void begin_boxes();
void end_boxes();
/// Carries out the oldest box that was put off; false where there is none.
bool copy_next_box();

}  // namespace emulation

using BoxMap = BoxedRows;

inline bool make_box_map(BoxMap& map, const BoxedRows& matrix) {
  map = matrix;
  return reinterpret_cast<std::uintptr_t>(matrix.data) % 16 == 0 && matrix.row_bytes % 16 == 0 &&
         matrix.box_rows <= 256;
}
void barrier_init(CopyBarrier* barrier);
inline void barriers_ready() {}
void barrier_expect(CopyBarrier* barrier, int bytes);
void barrier_wait(CopyBarrier* barrier, int parity);
void copy_box(void* to, const BoxMap& map, int column, int row, CopyBarrier* barrier);

}  // namespace servecast
