#include <algorithm>
#include <deque>
#include <map>
#include <stdexcept>

#include "kernels/device/device.h"
#include "kernels/testing/fibres.h"

namespace servecast {
namespace emulation {
namespace {

/// PTX ISA, "mbarrier": a phase ends when nothing is awaited, neither the one arrival nor bytes.
struct Phase {
  int number = 0;
  bool arrived = false;
  int bytes = 0;
};
std::map<const CopyBarrier*, Phase> phases;

struct Box {
  unsigned char* to;
  BoxMap map;
  int column;
  int row;
  CopyBarrier* barrier;
};
std::deque<Box> put_off;  // oldest first

Phase& phase_of(const CopyBarrier* barrier) {
  const auto found = phases.find(barrier);
  if (found == phases.end()) fibres().fail("a barrier of copies that was not initialised");
  return found->second;
}

void end_phase_if_done(Phase& phase) {
  if (phase.arrived && phase.bytes == 0) phase = {.number = phase.number + 1};
}

/// 16 bytes of a row, zeros beyond the matrix; pieces swizzled by the address that they go to.
void copy_piece(const Box& box, int row, int piece) {
  unsigned char* to = box.to + row * box_row_bytes + (piece ^ (row % 8)) * 16;
  const std::int64_t from_row = box.row + row;
  const std::int64_t byte = box.column + piece * 16;
  const bool inside = from_row < box.map.rows && byte < box.map.row_bytes;
  if (inside)
    std::memcpy(to, static_cast<const unsigned char*>(box.map.data) + from_row * box.map.row_bytes + byte, 16);
  else
    std::memset(to, 0, 16);
}

void carry_out(const Box& box) {
  for (int row = 0; row < box.map.box_rows; ++row)
    for (int piece = 0; piece < box_row_bytes / 16; ++piece) copy_piece(box, row, piece);
  Phase& phase = phase_of(box.barrier);
  phase.bytes -= box.map.box_rows * box_row_bytes;
  end_phase_if_done(phase);
}

}  // namespace

void begin_boxes() {
  phases.clear();
  put_off.clear();
}

void end_boxes() {
  const auto waits = [](const auto& one) { return one.second.arrived || one.second.bytes != 0; };
  if (!put_off.empty() || std::ranges::any_of(phases, waits))
    throw std::logic_error("copies of boxes that no thread waits for, or that were not expected");
}

bool copy_next_box() {
  if (put_off.empty()) return false;
  carry_out(put_off.front());
  put_off.pop_front();
  return true;
}

}  // namespace emulation

void barrier_init(CopyBarrier* barrier) { emulation::phases[barrier] = {}; }

void barrier_expect(CopyBarrier* barrier, int bytes) {
  emulation::Phase& phase = emulation::phase_of(barrier);
  if (phase.arrived) emulation::fibres().fail("a second arrival in one phase of a barrier of copies");
  phase.arrived = true;
  phase.bytes += bytes;
  emulation::end_phase_if_done(phase);
}

void barrier_wait(CopyBarrier* barrier, int parity) {
  const emulation::Phase& phase = emulation::phase_of(barrier);
  emulation::wait_until([&phase, parity] { return phase.number % 2 != parity; });
}

void copy_box(void* to, const BoxMap& map, int column, int row, CopyBarrier* barrier) {
  if (shared_address(to) % 1024 != 0)
    emulation::fibres().fail("a box that does not begin at a multiple of 1024 bytes");
  const emulation::Box box{static_cast<unsigned char*>(to), map, column, row, barrier};
  if (emulation::copies == emulation::Copies::early)
    emulation::carry_out(box);
  else
    emulation::put_off.push_back(box);
}

}  // namespace servecast
