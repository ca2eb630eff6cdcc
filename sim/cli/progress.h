#pragma once
#include <functional>
#include <optional>
#include <ostream>
#include <string>

#include "sim/engine/run.h"

namespace servecast {

enum class ProgressStyle { none, bar, json };

/// Seconds on a clock that never goes back.
double monotonic_s();

/// Shows how far a run has come: a bar that is redrawn in place, or one JSON object per line for a program that
/// watches.
class ProgressView {
 public:
  ProgressView(ProgressStyle style, std::ostream& out, std::function<double()> clock_s = monotonic_s);

  ~ProgressView() { erase(); }  // also where the run was cut short
  ProgressView(const ProgressView&) = delete;
  ProgressView& operator=(const ProgressView&) = delete;

  void show(const Progress& progress);
  /// The run is over: the bar goes, the JSON gets its last line, with fraction 1.
  void finish(const Progress& progress);

 private:
  void erase();
  void draw(const Progress& progress, std::optional<double> left_s);
  void write_json(const Progress& progress, std::optional<double> left_s);

  ProgressStyle style_;
  std::ostream& out_;
  std::function<double()> clock_s_;
  double start_s_;
  std::optional<double> shown_s_{};  // when something was last written
  double fraction_ = 0;              // never goes back
};

}  // namespace servecast
