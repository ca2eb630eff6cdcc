#pragma once
#include <cstdint>

namespace servecast {

inline constexpr double joules_per_kwh = 3.6e6;

/// Rent of `gpus` GPUs over `duration_s`, busy or not: rented GPUs are paid by the hour that they are held.
double rent_usd(double usd_per_gpu_hour, std::int64_t gpus, double duration_s);

/// Price of the output: rent over tokens, for a million of them. Requires output_tokens > 0.
double usd_per_million_tokens(double usd, std::int64_t output_tokens);

/// Price of electricity, where machines are owned. Leaves out cooling; pass the energy at the meter to include it.
double energy_usd(double energy_j, double usd_per_kwh);

/// What a machine that was bought costs for every hour of its life, without interest or what it sells for at the end.
double owned_usd_per_hour(double purchase_usd, double lifetime_s);

/// Electricity of owned machines for an hour at this mean power; `pue` is what the building draws over what they draw.
double power_usd_per_hour(double mean_w, double pue, double usd_per_kwh);

/// Share of the time in which a machine is up: mean time between failures over that and the mean time to repair.
double available_fraction(double mtbf_s, double mttr_s);

/// The fewest machines beyond `needed` with which enough of them are up for this share of the time, each by itself up
/// for a share `up_fraction`. Requires 0 < up_fraction <= 1 and target_fraction < 1.
std::int64_t spare_machines(std::int64_t needed, double up_fraction, double target_fraction);

}  // namespace servecast
