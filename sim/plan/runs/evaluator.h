#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/report/summary/summary.h"

namespace servecast {

/// One simulation that is asked for: a scenario and what differs in it.
struct RunRequest {
  std::string scenario{};              // a YAML file
  std::vector<std::string> set{};      // "path=value", as after --set
  std::optional<std::int64_t> seed{};  // absent: as the scenario says; likewise the next two
  std::optional<std::int64_t> calibration_draw{};
  std::optional<std::int64_t> first_requests{};  // the beginning of the workload

  bool operator==(const RunRequest&) const = default;
};

/// Its outcome.
struct RunResult {
  std::string key{};  // stands for everything the run rests on; empty where the scenario is wrong
  std::optional<Summary> summary{};
  std::string failure{};  // why there is no summary, in a line; else empty
};

/// The run was cut short by a signal. What was simulated until then is kept.
struct Stopped {};

/// Simulates. A search is given one of these and knows no engine.
class Evaluator {
 public:
  virtual ~Evaluator() = default;

  /// As many results as requests, in their order. A request that fails is a result that says why. Throws Stopped.
  virtual std::vector<RunResult> evaluate(std::span<const RunRequest> requests) = 0;

  /// How many it simulates at a time: a search that asks for fewer leaves processors idle.
  virtual std::int64_t at_once() const { return 1; }
};

}  // namespace servecast
