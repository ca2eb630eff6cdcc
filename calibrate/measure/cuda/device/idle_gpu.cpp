#include "calibrate/measure/cuda/device/idle_gpu.h"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <thread>

namespace servecast {

IdleGpu::IdleGpu(Clocks& clocks) : clocks_(clocks) {
  constexpr int looks = 10;
  constexpr std::chrono::milliseconds between{200};
  std::vector<unsigned> percents;
  for (int i = 0; i < looks; ++i) {
    const std::optional<unsigned> percent = clocks.busy_percent();
    if (percent) percents.push_back(*percent);
    if (percent.value_or(0) == 0) break;
    std::this_thread::sleep_for(between);
  }
  others_ = clocks.processes();
  refuse_busy_card(percents, others_);
}

void IdleGpu::opened() {
  std::ranges::set_difference(clocks_.processes(), others_, std::inserter(ours_, ours_.end()));
  clocks_.loads();  // what was before this process
}

void IdleGpu::check() {
  if (knows_us()) refuse_other_load(clocks_.loads(), ours_);
}

}  // namespace servecast
