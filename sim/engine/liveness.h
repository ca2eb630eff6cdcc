#pragma once
#include <stdexcept>

namespace servecast {

class Dispatcher;
class Recorder;
struct Scenario;

/// A run has come to its end by itself and left requests unfinished: whatever they wait for never happens. Never the
/// user's mistake.
class RequestsLeftUnfinished : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Throws RequestsLeftUnfinished, unless the run was to end at `until_s`. Requires that the dispatcher has drained.
void require_all_ended(const Scenario& scenario, const Recorder& recorder, const Dispatcher& dispatcher);

}  // namespace servecast
