#pragma once
#include <cstdint>
#include <optional>
#include <queue>
#include <vector>

#include "models/policy/workload.h"

namespace servecast {

/// Calls see(request, think_s) for every request of a workload as if serving took no time. `think_s` is none where a
/// request arrives by itself, else the pause after the one that it waited for. Requests that arrive by themselves
/// come in order of arrival, those of a session in their order.
template <class F>
void drain(Workload& workload, F&& see) {
  struct Finished {
    double time_s = 0;
    std::int64_t order = 0;
    Request request{};
  };
  const auto later = [](const Finished& a, const Finished& b) {
    return a.time_s != b.time_s ? a.time_s > b.time_s : a.order > b.order;
  };
  std::priority_queue<Finished, std::vector<Finished>, decltype(later)> finished(later);
  std::int64_t order = 0;
  const auto take = [&](const Request& request, std::optional<double> think_s) {
    see(request, think_s);
    if (request.awaited) finished.push({request.arrival_s, order++, request});
  };
  std::optional<Request> arriving = workload.next();
  while (arriving || !finished.empty()) {
    if (arriving && (finished.empty() || arriving->arrival_s <= finished.top().time_s)) {
      take(*arriving, std::nullopt);
      arriving = workload.next();
      continue;
    }
    const Finished done = finished.top();
    finished.pop();
    if (const std::optional<Request> next = workload.follow_up(done.request, done.time_s))
      take(*next, next->arrival_s - done.time_s);
  }
}

}  // namespace servecast
