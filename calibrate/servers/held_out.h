#pragma once
#include <span>
#include <string>
#include <vector>

#include "calibrate/servers/fit_engine.h"
#include "calibrate/servers/forecasts.h"

namespace servecast {

/// What was fitted to forecast one model's servers.
struct HeldOutFit {
  std::string model;  // left out
  EngineFit fit;

  /// Is this server forecast with this fit?
  bool covers(const MeasuredServer& server) const {
    return server.model == model && server.engine == fit.engine.name;
  }
};

/// Forecasts every server; those of `engine` with terms fitted on the servers of the other models alone.
struct HeldOut {
  std::vector<HeldOutFit> fits{};
  std::vector<Forecast> forecasts{};  // by server

  /// Was nothing fitted on this server, whatever the engine's file names?
  bool left_out(const MeasuredServer& server) const;
};
HeldOut forecast_held_out(std::span<const MeasuredServer> servers, std::span<const MeasuredServer> fitted_on,
                          const EngineProfile& engine, const ForecastOptions& how);

}  // namespace servecast
