#include "calibrate/measure/gpu_users.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "calibrate/measure/gpu_bench.h"

namespace servecast {
namespace {

constexpr unsigned idle_percent = 5;  // a display or a monitor takes no more

constexpr const char* way_out =
    "; times taken beside it would be wrong. Wait until it has ended and start again with the same --out, or choose "
    "another GPU with CUDA_VISIBLE_DEVICES";

}  // namespace

void refuse_busy_card(std::span<const unsigned> percents, const std::set<unsigned>& processes) {
  if (percents.empty()) return;
  const unsigned least = *std::ranges::min_element(percents);
  if (least <= idle_percent) return;
  const std::string users = processes.empty() ? "a process that the driver does not name here"
                                              : fmt::format("process {}", fmt::join(processes, ", "));
  throw DeviceError(fmt::format("the GPU is busy, {} % of the time, with {}{}", least, users, way_out));
}

void refuse_other_load(std::span<const ProcessLoad> loads, const std::set<unsigned>& ours) {
  const auto busiest = std::ranges::max_element(
      loads, {}, [&](const ProcessLoad& load) { return ours.contains(load.pid) ? 0 : load.sm_percent; });
  if (busiest == loads.end() || ours.contains(busiest->pid) || busiest->sm_percent <= idle_percent) return;
  throw DeviceError(fmt::format("the GPU has become busy: process {} computes for {} % of the time{}", busiest->pid,
                                busiest->sm_percent, way_out));
}

}  // namespace servecast
