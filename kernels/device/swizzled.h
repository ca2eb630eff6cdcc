#pragma once
#include "kernels/device/device.h"

namespace servecast {

/// How a warp group's matrix instructions want tiles to lie in shared memory ("128-byte swizzle"; PTX ISA, "Shared
/// memory matrix layout", and the layouts B128 of CUTLASS' make_gmma_desc): in panels whose rows are 128 bytes,
/// without gaps; the eight pieces of 16 bytes of row r stand in the order of their number XOR r % 8, so that neither
/// rows nor columns of eight meet in one bank. A panel begins at a multiple of 1024 bytes.
inline constexpr int panel_row_bytes = 128;
inline constexpr int panel_alignment = 1024;

/// Places in a tile of `rows` rows, panel after panel: byte `column` of a row, a multiple of 16.
template <int rows>
struct SwizzledRows {
  static constexpr int panel_bytes = rows * panel_row_bytes;
  static_assert(panel_bytes % panel_alignment == 0);
  static __device__ int at(int row, int column) {
    const int piece = column % panel_row_bytes / 16;
    return column / panel_row_bytes * panel_bytes + row * panel_row_bytes + (piece ^ (row % 8)) * 16;
  }
};

/// PTX ISA, "Matrix descriptor": address, leading and stride byte offset in units of 16 bytes; 1 at bit 62 stands for
/// this swizzle.
__device__ inline std::uint64_t operand_of(const unsigned char* start, int leading_bytes) {
  const std::uint64_t address = (shared_address(start) & 0x3ffffU) >> 4;
  const auto leading = static_cast<std::uint64_t>(leading_bytes >> 4);
  constexpr std::uint64_t stride = panel_alignment >> 4;  // from eight rows to the next eight
  return address | (leading << 16) | (stride << 32) | (std::uint64_t{1} << 62);
}
/// Rows of the tile are rows of A or columns of B; k runs along them from byte `column` on. `row`: a multiple of 8.
template <int rows>
__device__ std::uint64_t operand_along_k(const unsigned char* tile, int row, int column) {
  constexpr int unused = 16;
  return operand_of(tile + column / panel_row_bytes * SwizzledRows<rows>::panel_bytes + row * panel_row_bytes +
                        column % panel_row_bytes,
                    unused);
}
/// Rows of the tile are k from `row` on, a multiple of 8; all their columns are those of B.
template <int rows>
__device__ std::uint64_t operand_across_k(const unsigned char* tile, int row) {
  return operand_of(tile + row * panel_row_bytes, SwizzledRows<rows>::panel_bytes);
}

}  // namespace servecast
