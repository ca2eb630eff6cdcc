#pragma once
#include <stdexcept>
#include <string>

namespace servecast {

class Cluster;
class Recorder;
class PendingQueue;
class Simulation;
struct Scenario;

/// A run has come to its end by itself and left requests unfinished: whatever they wait for never happens. Never the
/// user's mistake.
class RequestsLeftUnfinished : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How many requests wait or run on each replica, and how many wait before a pool.
std::string where_requests_are(const Scenario& scenario, const Cluster& cluster, const PendingQueue& pending);

/// Throws RequestsLeftUnfinished, unless the run had an end of its own. Requires that it is finished.
void require_all_ended(const Scenario& scenario, const Recorder& recorder, const Simulation& simulation);

}  // namespace servecast
