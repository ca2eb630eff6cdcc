#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "sim/report/summary/summary.h"

namespace servecast {

struct Llm;
struct ServerSize;
class StepExecutor;

/// A small server to be measured, and where the results go.
struct ServeRun {
  std::string llm{};
  std::string gpu{};
  std::string trace{};
  std::int64_t requests = 200;  // so many of the trace
  std::string profile{};        // for the forecast; empty: what the simulator would take
  std::string folder{};
};
using OpenExecutor = std::function<std::unique_ptr<StepExecutor>(const Llm&, const ServerSize&)>;

struct ServedBeside {
  Summary measured{};
  Summary forecast{};
};
/// Serves the trace with the executor, then lets `servecast` forecast the same run. The folder gets the scenario of
/// it, scenario.yaml, with measured/requests.csv and forecast/. Throws UserError, DeviceError.
ServedBeside serve_beside_forecast(const ServeRun& run, const OpenExecutor& open);

}  // namespace servecast
