#pragma once
#include <functional>
#include <span>

#include "models/base/record.h"

namespace servecast {

struct FlowRecord;
struct LinkSample;
struct Platform;
struct ReplicaSample;

/// How far a run has come, for a progress bar.
struct Progress {
  double simulated_s = 0;
  double fraction_read = 0;  // of the workload
  std::int64_t arrived = 0;
  std::int64_t finished = 0;
};

/// Hears what the recorder does not keep. What it does not ask for costs nothing.
struct DetailListener {
  virtual ~DetailListener() = default;
  virtual void platform(const Platform&) {}  // once, before the run
  virtual bool wants_step(double /*start_s*/) { return false; }
  virtual void step(const StepRecord&, std::span<const StepMember>) {}  // those it wanted
  virtual bool wants_replicas() { return false; }
  virtual void replica(const ReplicaSample&) {}  // every second, replica by replica, once the run is over
  virtual void flow(const FlowRecord&) {}        // when it has ended
  virtual bool wants_gateway() { return false; }
  virtual void gateway(const GatewayEvent&) {}  // when it has ended
  virtual void link(const LinkSample&) {}       // every second that a link carried something, once the run is over
};

/// A run was cut short by its RunOptions::stop.
struct CutShort {};

struct RunOptions {
  std::function<void(const Progress&)> progress{};  // called about every 1,000 requests; empty: none
  std::function<bool()> stop{};                     // asked all the time; true: the run throws CutShort
  DetailListener* detail = nullptr;
  bool step_by_step = false;  // every step is an event of the engine and asks its batcher: slow, and the same times
};

}  // namespace servecast
