#include "sim/engine/cluster/waiting_room.h"

#include <algorithm>

namespace servecast {

void WaitingRoom::enter(const Guest& guest) {
  const Place place{guest.pool, entered_++};
  guests_.emplace(place, guest);
  if (guest.request.give_up_s < Request::forever) give_ups_.emplace(guest.request.give_up_s, place);
}

double WaitingRoom::next_give_up_s() const { return give_ups_.empty() ? Request::forever : give_ups_.begin()->first; }

WaitingRoom::Guest WaitingRoom::take(Place place) {
  Guest guest = std::move(guests_.extract(place).mapped());
  give_ups_.erase({guest.request.give_up_s, place});
  return guest;
}

std::vector<WaitingRoom::Guest> WaitingRoom::take_given_up(double now_s) {
  std::vector<Guest> gone;
  while (next_give_up_s() <= now_s && !give_ups_.empty()) gone.push_back(take(give_ups_.begin()->second));
  return gone;
}

std::int64_t WaitingRoom::count(PoolId pool) const {
  return std::ranges::count_if(guests_, [&](const auto& guest) { return guest.first.first == pool; });
}

std::vector<WaitingRoom::Guest> WaitingRoom::take(PoolId pool) {
  std::vector<Guest> taken;
  for (auto at = guests_.lower_bound({pool, 0}); at != guests_.end() && at->first.first == pool;)
    taken.push_back(take((at++)->first));
  return taken;
}

void WaitingRoom::forget_kv_of(RequestId request) {
  const auto found =
      std::ranges::find_if(guests_, [&](const auto& g) { return g.second.has_kv && g.second.request.id == request; });
  if (found != guests_.end()) take(found->first);
}

std::vector<WaitingRoom::Guest> WaitingRoom::take_all() {
  std::vector<Guest> taken;
  while (!guests_.empty()) taken.push_back(take(guests_.begin()->first));
  return taken;
}

}  // namespace servecast
