#include "sim/engine/time/fault.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <csignal>
#include <cstdio>

#include "sim/input/scenario/scenario.h"

namespace servecast {
namespace {

// A signal handler can reach nothing but globals.
const FaultNote* fault_note = nullptr;

// A failed assert has printed its place in the source. Ending here keeps SimGrid and the C library from adding
// theirs.
void note_and_end(int) {
  fault_note->print();
  ::_exit(1);
}

constexpr const char* end_of_place = "s of simulated time";

}  // namespace

FaultNote::FaultNote(const ScenarioSpec& scenario, const RunClock& clock)
    : run_(fmt::format("scenario '{}', seed {}, at ", scenario.name, scenario.seed)), clock_(clock) {
  assert(fault_note == nullptr);
  fault_note = this;
  handler_before_ = std::signal(SIGABRT, note_and_end);
}

FaultNote::~FaultNote() {
  std::signal(SIGABRT, handler_before_);
  fault_note = nullptr;
}

std::string FaultNote::place() const { return fmt::format("{}{:.9g} {}", run_, clock_.now_s(), end_of_place); }

void FaultNote::print() const noexcept {
  std::array<char, 512> line{};
  const int length =
      std::snprintf(line.data(), line.size(), "%s%.9g %s\n", run_.c_str(), clock_.now_s(), end_of_place);
  const auto size = static_cast<std::size_t>(std::clamp(length, 0, static_cast<int>(line.size()) - 1));
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, line.data(), size);
}

}  // namespace servecast
