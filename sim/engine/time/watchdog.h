#pragma once
#include <cstdint>
#include <map>
#include <string>

namespace servecast {

/// Ends a run that goes on and gets nowhere: in an instant without end, or around requests that no replica will ever
/// serve, while autoscalers look, and parts break and are repaired.
///
/// It sees every turn of the loop. Against the run count turns of one instant, and turns in which no request
/// and no step has got on, unless the run only waits for something that is on its way.
class Watchdog {
 public:
  static constexpr std::int64_t most_idle_turns = 10'000;
  static constexpr std::int64_t most_instant_turns = 100'000;
  static constexpr std::int64_t most_idle_breaks = 1'000;

  /// A turn at `now_s`; `progress` counts what requests and steps have done so far. False where the run has got on
  /// since the last call: then nothing else need be noted of this turn.
  bool stands_still(double now_s, std::int64_t progress);
  /// Parts break at an instant. True where they have done so so often since the run last got on that the replicas
  /// that requests wait for will never be there for long enough.
  bool breaks_in_vain(std::int64_t progress);
  /// Of a turn that stands still. `waits`: something is on its way.
  void count(bool waits) { idle_turns_ += waits ? 0 : 1; }
  /// The end is near: parts that act are noted, for the message.
  bool lists() const { return near(listed_turns); }
  void acts(const std::string& part) { ++acted_[part]; }
  bool ends() const { return near(0); }
  /// What went on in the last turns.
  std::string report() const;

 private:
  static constexpr std::int64_t listed_turns = 1'000;
  bool near(std::int64_t turns_left) const {
    return idle_turns_ >= most_idle_turns - turns_left || instant_turns_ >= most_instant_turns - turns_left;
  }

  double now_s_ = -1;
  std::int64_t progress_ = 0;
  std::int64_t instant_turns_ = 0;
  std::int64_t idle_turns_ = 0;
  std::int64_t breaks_ = 0;  // since the run got on as far as this:
  std::int64_t progress_at_break_ = 0;
  std::map<std::string, std::int64_t> acted_{};
};

}  // namespace servecast
