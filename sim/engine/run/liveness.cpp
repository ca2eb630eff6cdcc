#include "sim/engine/run/liveness.h"

#include <fmt/format.h>

#include "sim/engine/cluster/cluster.h"
#include "sim/engine/cluster/pending_queue.h"
#include "sim/engine/run/simulation.h"
#include "sim/input/scenario/scenario.h"
#include "sim/report/record/recorder.h"

namespace servecast {

std::string where_requests_are(const Scenario& scenario, const Cluster& cluster, const PendingQueue& pending) {
  std::string text;
  for (std::size_t pool = 0; pool < scenario.pools.size(); ++pool) {
    std::int64_t count = pending.count(PoolId(pool));
    std::string places = count > 0 ? fmt::format(", pending: {}", count) : "";
    for (std::size_t i = 0; i < cluster.pools()[pool].size(); ++i) {
      const ReplicaView view = cluster.pools()[pool][i].view();
      if (view.waiting_requests + view.running_requests == 0) continue;
      count += view.waiting_requests + view.running_requests;
      places += fmt::format(", replica {}: {} waiting, {} running", i, view.waiting_requests, view.running_requests);
    }
    if (count == 0) continue;
    text += fmt::format("{}{} of them in pool '{}'{}", text.empty() ? "" : "; ", count,
                        scenario.pools[pool].spec.name, places);
  }
  return text.empty() ? "on no replica" : text;
}

void require_all_ended(const Scenario& scenario, const Recorder& recorder, const Simulation& simulation) {
  if (simulation.clock().has_end()) return;
  std::int64_t unfinished = 0;
  for (const RequestTotals& of_class : recorder.classes()) unfinished += of_class.requests.unfinished;
  if (unfinished == 0) return;
  throw RequestsLeftUnfinished(
      fmt::format("scenario '{}', seed {}: the run ends with {} of {} requests unfinished ({}). Nothing that they "
                  "wait for happens any more; with `until_s` the run ends there and reports them.",
                  scenario.spec.name, scenario.spec.seed, unfinished, recorder.count(),
                  where_requests_are(scenario, simulation.cluster(), simulation.pending())));
}

}  // namespace servecast
