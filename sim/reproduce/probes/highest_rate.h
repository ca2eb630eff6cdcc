#pragma once
#include <functional>
#include <string>
#include <vector>

#include "sim/reproduce/probes/simulated.h"

namespace servecast {

/// Where a search for the highest rate begins and how fine it becomes.
struct RateSearch {
  std::string path = "workload.generate.arrivals.poisson.requests_per_s";  // the setting that is the rate
  double low = 0;                                                          // kept for sure
  double high = 0;                                                         // broken for sure
  double precision = 0.03;

  std::vector<Override> at(double rate) const { return {{path, std::to_string(rate)}}; }
};

/// The highest rate that keeps what was promised, by bisection of its logarithm; a rate that is kept is taken to be
/// kept at all lower ones. Throws UserError where the two ends do not hold what they promise.
double highest_rate(const RateSearch& search, const std::function<bool(double rate)>& keeps);

/// Whether a run keeps its promise: none of the readings above its bound.
struct RatePromise {
  Reading reading{};
  double at_most = 0;
};

/// The highest rate at which a setup keeps its promises.
ProbePtr rate_probe(const PaperSetup& setup, const RateSearch& search, std::vector<RatePromise> promises);

/// Of requests, the share that misses the scenario's bounds.
double missed_fraction(const PaperRecords& run);
/// 0 where the scenario's bounds hold for as many requests as it asks, else 1.
double promise_broken(const PaperRecords& run);

}  // namespace servecast
