#pragma once
#include <cstdint>
#include <string>

namespace servecast {

/// At which requests arrive, by their number over their span; 0: not one after the other.
struct ArrivalRates {
  double all_per_s = 0;
  double first_per_s = 0;  // of the first that are simulated
};

ArrivalRates rates_of_trace(const std::string& trace, std::int64_t first);

/// Of a scenario's workload; 0 where some of its requests wait for others, so that there is no rate that could be
/// another one.
ArrivalRates rates_of_scenario(const std::string& scenario, std::int64_t first);

/// Of so many Poisson arrivals as one seed draws them.
double poisson_sample_per_s(double requests_per_s, std::int64_t requests, std::uint64_t seed);

}  // namespace servecast
