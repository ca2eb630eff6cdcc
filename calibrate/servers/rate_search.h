#pragma once
#include <span>

#include "calibrate/servers/forecasts.h"

namespace servecast {

/// For every server with limits, the highest rate of Poisson arrivals at which P99 of TTFT and of TPOT keep them:
/// bisected to 1 % between half and twice the measured rate, a run for every rate; all servers side by side. None
/// where no rate in between keeps them, or every one does.
void add_highest_rates(std::span<const MeasuredServer> servers, const ForecastOptions& options,
                       std::span<Forecast> forecasts);

}  // namespace servecast
