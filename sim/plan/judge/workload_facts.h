#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/hw/roofline/bound.h"
#include "models/policy/request.h"

namespace servecast {

struct ScenarioSpec;
struct WorkloadSpec;

/// One request as far as bounds need it.
struct ExpectedRequest {
  double arrival_s = 0;
  BoundRequest work{};  // with every cache hit that an endless, shared cache would give
  std::size_t pool = 0;
  ClassId request_class{};

  bool operator==(const ExpectedRequest&) const = default;
};

/// All that arrives, read ahead of any simulation.
struct WorkloadFacts {
  std::vector<ExpectedRequest> requests{};
  std::vector<std::string> classes{};
  bool open_loop = true;       // false: later arrivals depend on answers, and `requests` holds only some of them
  bool several_tokens = true;  // every request makes two or more

  std::int64_t count() const { return static_cast<std::int64_t>(requests.size()); }
  /// From the first arrival to the last; nothing of fewer than two, or where answers make requests come.
  std::optional<double> arrivals_per_s() const;
};

/// Of a scenario whose file is `file`, at this many times its rate.
WorkloadFacts read_workload(const ScenarioSpec& spec, const std::string& file, double rate_factor);

/// "path=value" that makes the scenario's requests arrive `factor` times as fast. Throws UserError for a closed loop,
/// where the clients set the pace.
std::vector<std::string> faster(const WorkloadSpec& workload, double factor);

}  // namespace servecast
