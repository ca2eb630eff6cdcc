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
  return std::ranges::any_of(
      fits, [&](const HeldOutFit& f) { return f.model == server.model && f.fit.engine.name == server.engine; });
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
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < servers.size(); ++i)
    if (servers[i].engine != engine.name || !models.contains(servers[i].model)) rest.push_back(i);
  const auto run = [&](const std::vector<std::size_t>& chosen, const ForecastOptions& options) {
    std::vector<MeasuredServer> batch;
    for (std::size_t i : chosen) batch.push_back(servers[i]);
    std::vector<Forecast> done = forecast(batch, options);
    for (std::size_t k = 0; k < chosen.size(); ++k) out.forecasts[chosen[k]] = std::move(done[k]);
  };
  for (const std::string& model : models) {
    out.fits.push_back({model, fit_engine(with_round_terms(engine), others(fitted_on, model), fitting)});
    ForecastOptions held = how;
    held.engine = scratch / (model + ".yaml");
    write_text(held.engine, engine_yaml(out.fits.back().fit.engine));
    std::vector<std::size_t> own;
    for (std::size_t i = 0; i < servers.size(); ++i)
      if (servers[i].engine == engine.name && servers[i].model == model) own.push_back(i);
    run(own, held);
  }
  run(rest, how);
  return out;
}

}  // namespace servecast
