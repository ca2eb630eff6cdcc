#pragma once
#include <map>

#include "sim/engine/network.h"
#include "sim/engine/run.h"

namespace servecast {

/// Bytes over each link and second. A flow's bytes are spread evenly over its life: inside it the rate follows
/// whoever shares its links, which is not kept.
class LinkMeter {
 public:
  void add(const FinishedTransfer& flow);
  void tell(const Platform& platform, DetailListener& listener) const;

 private:
  std::map<std::pair<std::size_t, std::int64_t>, double> bytes_;  // by link and second
};

}  // namespace servecast
