#pragma once
#include <stdexcept>
#include <string>

#include "models/base/error.h"
#include "sim/engine/time/run_clock.h"

namespace servecast {

struct ScenarioSpec;

/// While it lives, a failed assert says after its own words which run it ended and how far that had come, and the
/// program ends with exit status 1. One at a time.
class FaultNote {
 public:
  FaultNote(const ScenarioSpec& scenario, const RunClock& clock);
  ~FaultNote();
  FaultNote(const FaultNote&) = delete;
  FaultNote& operator=(const FaultNote&) = delete;

  /// "scenario 'chat', seed 1, at 2.5 s of simulated time"
  std::string place() const;
  void print() const noexcept;

 private:
  std::string run_;
  const RunClock& clock_;
  void (*handler_before_)(int);
};

/// Runs, and adds to what a fault of the program says which run it ended and how far that had come.
template <class Body>
auto with_place(const ScenarioSpec& scenario, const RunClock& clock, Body body) {
  const FaultNote note(scenario, clock);
  try {
    return body();
  } catch (const UserError&) {
    throw;
  } catch (const std::exception& error) {
    throw std::runtime_error(note.place() + ": " + error.what());
  }
}

}  // namespace servecast
