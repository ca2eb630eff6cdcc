#include "sim/engine/time/run_clock.h"

#include "sim/engine/time/run_options.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

constexpr std::int64_t events_per_progress_report = 1000;
constexpr std::int64_t turns_per_poll = 64;  // asking may be a call of the operating system

}  // namespace

RunClock::RunClock(const Scenario& scenario, const RunOptions& options)
    : scenario_(scenario),
      options_(options),
      until_s_(scenario.spec.until_s.value_or(std::numeric_limits<double>::infinity())) {}

void RunClock::request_ended() {
  ++finished_;
  count_event();
}

void RunClock::count_event() {
  if (++events_ % events_per_progress_report != 0 || !options_.progress) return;
  options_.progress({.simulated_s = now_s_,
                     .fraction_read = scenario_.workload->fraction_read(),
                     .arrived = arrived_,
                     .finished = finished_});
}

void RunClock::poll() {
  if (options_.stop && ++polls_ % turns_per_poll == 0 && options_.stop()) throw CutShort{};
}

}  // namespace servecast
