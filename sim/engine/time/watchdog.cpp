#include "sim/engine/time/watchdog.h"

#include <fmt/format.h>

namespace servecast {

bool Watchdog::stands_still(double now_s, std::int64_t progress) {
  const bool same_instant = now_s == now_s_;
  instant_turns_ = same_instant ? instant_turns_ + 1 : 0;
  now_s_ = now_s;
  if (same_instant || progress == progress_) return true;
  progress_ = progress;
  idle_turns_ = 0;
  acted_.clear();
  return false;
}

bool Watchdog::breaks_in_vain(std::int64_t progress) {
  breaks_ = progress == progress_at_break_ ? breaks_ + 1 : 1;
  progress_at_break_ = progress;
  return breaks_ >= most_idle_breaks;
}

std::string Watchdog::report() const {
  std::string text = instant_turns_ >= most_instant_turns
                         ? fmt::format("this instant does not end: {} turns of the loop so far", instant_turns_)
                         : fmt::format("no request and no step has got on in {} turns of the loop", idle_turns_);
  text += fmt::format("; in the last {}, these acted:", listed_turns);
  for (const auto& [part, turns] : acted_) text += fmt::format(" {} ({} times)", part, turns);
  return text;
}

}  // namespace servecast
