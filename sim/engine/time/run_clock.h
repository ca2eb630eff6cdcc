#pragma once
#include <algorithm>
#include <cstdint>
#include <limits>

namespace servecast {

struct RunOptions;
struct Scenario;

/// How far a run has come: its instant, how long it lasts, and what it counts of its progress. Reports progress, and
/// asks whether to stop.
///
/// Times are the run's own, not the engine's clock: SimGrid merges instants closer than 1e-9 s.
class RunClock {
 public:
  RunClock(const Scenario& scenario, const RunOptions& options);

  double now_s() const { return now_s_; }
  void set_now(double now_s) { now_s_ = now_s; }
  /// Infinite: it ends by itself.
  double until_s() const { return until_s_; }
  /// It ends at this instant, as if the scenario said so.
  void end_now() { until_s_ = now_s_; }
  bool has_end() const { return until_s_ < std::numeric_limits<double>::infinity(); }

  /// What happens to requests is part of the run: shares are of its time, and GPUs are paid to its end.
  void lasts_until(double at_s) { duration_s_ = std::max(duration_s_, std::min(at_s, until_s_)); }
  void step_lasts_until(double end_s) { duration_s_ = std::max(duration_s_, end_s); }
  void lasts_to_the_end() { duration_s_ = has_end() ? until_s_ : duration_s_; }
  double duration_s() const { return duration_s_; }

  /// What requests and steps have done so far.
  std::int64_t progress() const { return progress_; }
  void gets_on() { ++progress_; }
  void request_came() { ++arrived_; }
  void request_ended();
  /// Something happened that a progress bar is to move for.
  void count_event();
  /// All the time. Throws CutShort where the run is to stop.
  void poll();

 private:
  const Scenario& scenario_;
  const RunOptions& options_;
  double until_s_;
  double now_s_ = 0;
  double duration_s_ = 0;
  std::int64_t progress_ = 0;
  std::int64_t arrived_ = 0;
  std::int64_t finished_ = 0;
  std::int64_t events_ = 0;
  std::int64_t polls_ = 0;
};

}  // namespace servecast
