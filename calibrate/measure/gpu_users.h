#pragma once
#include <cstdint>
#include <set>
#include <span>
#include <vector>

namespace servecast {

/// What a process did on a GPU's SMs lately.
struct ProcessLoad {
  unsigned pid = 0;
  unsigned sm_percent = 0;
};

/// Throws DeviceError, naming the processes, where a GPU that no other process should use yet is at work in every one
/// of the looks at it. `percents`: of the time in which a kernel ran, over about a second; it lags, so one idle look
/// is enough.
void refuse_busy_card(std::span<const unsigned> percents, const std::set<unsigned>& processes);

/// Throws DeviceError where a process that is not among `ours` computes. A container knows its own processes by other
/// numbers than the driver does, so `ours` are those that the driver has named since this one began.
void refuse_other_load(std::span<const ProcessLoad> loads, const std::set<unsigned>& ours);

}  // namespace servecast
