#pragma once
#include <cstdint>
#include <optional>

#include "models/base/ids.h"

namespace servecast {

/// A request that became a job: its client knows that it was taken and waits for no answer.
struct Job {
  bool refused = false;           // not taken: the queue is full
  double acknowledged_s = 0;      // from now until the client knows
  std::int64_t parts = 1;         // workers that it takes, all at once
  std::optional<double> due_s{};  // its deadline
};

/// Jobs that wait, and the workers that they wait for. A job is put in by the stage that makes it one.
class JobQueue {
 public:
  virtual ~JobQueue() = default;
  /// The job that starts now, once for each; asked until there is none, whenever a job has come or one is over.
  virtual std::optional<RequestId> start() = 0;
  /// It is over, or its client has given it up: no worker works on it any more.
  virtual void over(RequestId job) = 0;
  virtual std::int64_t workers() const = 0;
  /// The widest graph behind it that it can ever start; none: it does not look at how wide that is.
  virtual std::optional<std::int64_t> widest() const = 0;
};

}  // namespace servecast
