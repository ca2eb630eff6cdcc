#pragma once
#include <cstdint>

namespace servecast {

inline constexpr double seconds_per_hour = 3600;
inline constexpr double joules_per_kwh = 3.6e6;

/// Rent of `gpus` GPUs over `duration_s`, busy or not: rented GPUs are paid by the hour that they are held.
double rent_usd(double usd_per_gpu_hour, std::int64_t gpus, double duration_s);

/// Price of the output: rent over tokens, for a million of them. Requires output_tokens > 0.
double usd_per_million_tokens(double usd, std::int64_t output_tokens);

/// Price of electricity, where machines are owned. Leaves out cooling; pass the energy at the meter to include it.
double energy_usd(double energy_j, double usd_per_kwh);

}  // namespace servecast
