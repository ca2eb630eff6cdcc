#pragma once
#include <optional>

#include "models/policy/request.h"

namespace servecast {

/// Where requests come from, in order of arrival. Traces and generators implement it; the engine pulls from it,
/// so that a trace need not fit into memory.
class Workload {
 public:
  virtual ~Workload() = default;

  /// The next request that arrives by itself; none when the workload has ended, or when what follows waits for
  /// requests under way: then it is asked again whenever one that was `awaited` has ended. `arrival_s` never
  /// decreases and every request carries an id of its own. Its `prefix_blocks` stay valid until the request has
  /// finished.
  virtual std::optional<Request> next() = 0;

  /// Where one source of several has waited and goes on: its next request, if that arrives before `arrival_s`, which
  /// one has that next() gave already.
  virtual std::optional<Request> next_before(double /*arrival_s*/) { return std::nullopt; }

  /// Closed loop: the request that `done` makes possible by finishing at `finish_s`, if any; it arrives at
  /// `finish_s` or later. Called once for every finished request that was `awaited`.
  virtual std::optional<Request> follow_up(const Request& done, double finish_s) = 0;

  /// Share of the input given out so far, 0 to 1, for the progress bar.
  virtual double fraction_read() const = 0;
};

}  // namespace servecast
