#include "sim/reproduce/probes/highest_rate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/base/error.h"

namespace servecast {

double highest_rate(const RateSearch& search, const std::function<bool(double rate)>& keeps) {
  double low = search.low;
  double high = search.high;
  if (!keeps(low)) throw UserError(fmt::format("the promise is broken already at a rate of {}", low));
  if (keeps(high)) throw UserError(fmt::format("the promise is kept still at a rate of {}", high));
  while (high / low > 1 + search.precision) {
    const double middle = std::sqrt(low * high);
    (keeps(middle) ? low : high) = middle;
  }
  return low;
}

ProbePtr rate_probe(const PaperSetup& setup, const RateSearch& search, std::vector<RatePromise> promises) {
  return own_probe(setup, [setup, search, promises = std::move(promises)](const PublicTraces& traces) {
    std::vector<Reading> readings;
    for (const RatePromise& promise : promises) readings.push_back(promise.reading);
    const auto keeps = [&](double rate) {
      const std::vector<double> values = simulate(setup.with(search.at(rate)), traces, readings);
      return std::equal(values.begin(), values.end(), promises.begin(),
                        [](double value, const RatePromise& promise) { return value <= promise.at_most; });
    };
    return std::vector<double>{highest_rate(search, keeps)};
  });
}

double missed_fraction(const PaperRecords& run) { return 1 - *run.summary.slo.attained_fraction; }

double promise_broken(const PaperRecords& run) { return run.summary.slo.met() ? 0 : 1; }

}  // namespace servecast
