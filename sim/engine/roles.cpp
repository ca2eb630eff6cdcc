#include "sim/engine/roles.h"

#include <cassert>
#include <cmath>

namespace servecast {

Roles::Roles(const Placement& placement, std::int64_t replicas)
    : placement_(placement), sides_(static_cast<std::size_t>(replicas), Side::decode) {
  assert(placement.prefill_replicas() < replicas);
  std::fill_n(sides_.begin(), placement.prefill_replicas(), Side::prefill);
  next_check_s_ = placement.check_every_s();
}

double Roles::after(double now_s) const {
  double n = std::floor(now_s / placement_.check_every_s()) + 1;
  while (n * placement_.check_every_s() <= now_s) n += 1;
  return n * placement_.check_every_s();
}

void Roles::add(SideLoad& side, const ReplicaView& view) {
  side.replicas += 1;
  side.waiting_tokens += view.waiting_tokens;
  side.used_blocks += view.used_blocks;
  side.total_blocks += view.total_blocks;
}

}  // namespace servecast
