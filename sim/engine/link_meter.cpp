#include "sim/engine/link_meter.h"

#include <algorithm>
#include <cmath>

namespace servecast {

void LinkMeter::add(const FinishedTransfer& flow) {
  const double life_s = flow.end_s - flow.start_s;
  for (auto second = static_cast<std::int64_t>(flow.start_s); static_cast<double>(second) < flow.end_s; ++second) {
    const double from_s = std::max(flow.start_s, static_cast<double>(second));
    const double to_s = std::min(flow.end_s, static_cast<double>(second + 1));
    for (std::size_t link : flow.transfer->path.links)
      bytes_[{link, second}] += flow.transfer->bytes * (to_s - from_s) / life_s;
  }
}

void LinkMeter::tell(const Platform& platform, DetailListener& listener) const {
  for (const auto& [key, bytes] : bytes_) {
    const PlatformLink& link = platform.links[key.first];
    listener.link({.link = link.name,
                   .time_s = static_cast<double>(key.second),
                   .bytes = bytes,
                   .used_fraction = bytes / link.bytes_per_s});
  }
}

}  // namespace servecast
