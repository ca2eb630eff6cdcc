#include "sim/engine/liveness.h"

#include <fmt/format.h>

#include <string>

#include "sim/engine/dispatcher.h"
#include "sim/input/scenario.h"
#include "sim/report/recorder.h"

namespace servecast {
namespace {

/// Who waits or runs on which replica.
std::string where_requests_are(const Scenario& scenario, const Dispatcher& dispatcher) {
  std::string text;
  for (std::size_t p = 0; p < scenario.pools.size(); ++p)
    for (std::size_t i = 0; i < dispatcher.pools()[p].size(); ++i) {
      const ReplicaView view = dispatcher.pools()[p][i].view();
      if (view.waiting_requests + view.running_requests == 0) continue;
      text += fmt::format("{}pool '{}', replica {}: {} waiting, {} running", text.empty() ? "" : "; ",
                          scenario.pools[p].spec.name, i, view.waiting_requests, view.running_requests);
    }
  return text.empty() ? "on no replica" : text;
}

}  // namespace

void require_all_ended(const Scenario& scenario, const Recorder& recorder, const Dispatcher& dispatcher) {
  if (scenario.spec.until_s) return;
  std::int64_t unfinished = 0;
  for (const RequestTotals& of_class : recorder.classes()) unfinished += of_class.requests.unfinished;
  if (unfinished == 0) return;
  throw RequestsLeftUnfinished(
      fmt::format("scenario '{}', seed {}: the run ends with {} of {} requests unfinished ({}). Nothing that they "
                  "wait for happens any more; with `until_s` the run ends there and reports them.",
                  scenario.spec.name, scenario.spec.seed, unfinished, recorder.count(),
                  where_requests_are(scenario, dispatcher)));
}

}  // namespace servecast
