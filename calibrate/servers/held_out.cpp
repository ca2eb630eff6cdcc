#include "calibrate/servers/held_out.h"

#include <algorithm>
#include <set>

#include "sim/plan/runs/child_process.h"
#include "sim/report/files/text_file.h"

namespace servecast {
namespace {

std::vector<MeasuredServer> others(std::span<const MeasuredServer> servers, const std::string& model) {
  std::vector<MeasuredServer> out;
  std::ranges::copy_if(servers, std::back_inserter(out), [&](const auto& s) { return s.model != model; });
  return out;
}

}  // namespace

bool HeldOut::left_out(const MeasuredServer& server) const {
  return std::ranges::any_of(fits, [&](const HeldOutFit& f) { return f.covers(server); });
}

HeldOut forecast_held_out(std::span<const MeasuredServer> servers, std::span<const MeasuredServer> fitted_on,
                          const EngineProfile& engine, const ForecastOptions& how) {
  HeldOut out;
  out.forecasts.resize(servers.size());
  std::set<std::string> models;
  for (const MeasuredServer& s : fitted_on) models.insert(s.model);
  ForecastOptions fitting = how;
  fitting.replicates = 0;
  const ScratchFolder scratch;
  const auto run = [&](const ForecastOptions& options, const auto& chosen) {
    std::vector<std::size_t> places;
    std::vector<MeasuredServer> batch;
    for (std::size_t i = 0; i < servers.size(); ++i) {
      if (!chosen(servers[i])) continue;
      places.push_back(i);
      batch.push_back(servers[i]);
    }
    std::vector<Forecast> done = forecast(batch, options);
    for (std::size_t k = 0; k < places.size(); ++k) out.forecasts[places[k]] = std::move(done[k]);
  };
  for (const std::string& model : models) {
    const HeldOutFit& fit =
        out.fits.emplace_back(model, fit_engine(with_round_terms(engine), others(fitted_on, model), fitting));
    ForecastOptions held = how;
    held.engine = scratch / (model + ".yaml");
    write_text(held.engine, engine_yaml(fit.fit.engine));
    run(held, [&](const MeasuredServer& s) { return fit.covers(s); });
  }
  run(how, [&](const MeasuredServer& s) { return !out.left_out(s); });
  return out;
}

}  // namespace servecast
