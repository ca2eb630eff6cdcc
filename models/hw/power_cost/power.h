#pragma once
#include <cstdint>

#include "models/hw/latency/step_latency.h"
#include "models/hw/machine/gpu.h"
#include "models/hw/machine/node.h"

namespace servecast {

/// Power of one GPU during a step: idle, plus the prefill draw above idle for the share of the time that arithmetic
/// bounds, plus the decode draw above idle for the rest; never above the cap. The split by bound instead of by phase
/// makes chunked prefill, which is both at once, a mean of both. Splitwise's measured watts (ISCA'24) stand in the
/// GPU files. Leaves out: temperature, clock ramps, how full a decode batch is (H100: 267 W at batch 1 to 680 W at
/// 128).
double step_power_w(const PowerDraw& power, const StageTime& step, double cap_w);

/// Clock under a power cap, as a share of the full one: dynamic power goes with voltage squared times frequency,
/// about the cube of the clock, so ((cap - idle) / (prefill - idle))^(1/3), at most 1. H100 capped at half of 700 W:
/// 0.76, and prompts take 1.31 times as long (Splitwise measured about 1.3, and no effect on the token phase).
/// Requires cap_w > idle_w.
double clock_fraction(const PowerDraw& power, double cap_w);

/// The same step at a lower clock: what arithmetic bounds grows, what memory bounds stays.
StageTime at_clock(StageTime step, double clock_fraction);

/// The same step on a replica that is so many times slower for reasons of its own.
StageTime slowed(StageTime step, double factor);

/// Everything of a node but its GPUs, for each of the GPUs in it.
double overhead_w_per_gpu(const Node& node);

}  // namespace servecast
