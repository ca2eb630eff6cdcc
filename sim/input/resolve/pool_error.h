#pragma once
#include <cstdint>
#include <string_view>

#include "models/hw/profile/calibration_draw.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

/// How the pool serves in this scenario, as files of engines name it where their errors differ by it (ServedPool).
std::string_view layout_of(const PoolSpec& pool, const ScenarioSpec& scenario);

/// Likewise, how requests come: closed where clients of closed loops alone ask.
std::string_view load_of(const WorkloadSpec& workload);

/// How far the pool's times are off in one draw of the calibration's error: pools of one engine on one kind of GPU
/// together.
CalibrationDraw calibration_draw(const Pool& pool, double spread, std::uint64_t draw);

/// Of a pool that is only sized: the share of its best estimate's times, of steps and until first tokens, that a draw
/// of the calibration's error takes at least.
double fastest_fraction(const Pool& pool, double calibration_spread, std::uint64_t draw);

}  // namespace servecast
