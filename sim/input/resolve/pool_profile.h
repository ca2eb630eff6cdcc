#pragma once
#include <optional>
#include <string>

#include "sim/input/library/ready_profiles.h"
#include "sim/input/scenario/scenario.h"

namespace servecast {

/// Where a pool's step times come from. `where`: of its `latency.profile`, for messages.
struct PoolHardware {
  const ScenarioSpec& scenario;
  HardwareFiles& files;
  const std::string& file;  // that names the pool's hardware
  Place where{};
};

/// Whether the scenario changed what the times of this GPU's kernels go by.
bool rates_changed(const Pool& pool, const PoolHardware& with);

/// The measured profile that times the pool, and which GPUs it is scaled between: the one that it asks for, else that
/// of its GPU, or of the one it is derived from, for the engine's kernels. Nothing where the roofline is to be used.
std::optional<ProfileUse> profile_use(const Pool& pool, const PoolHardware& with);

/// Why kernels for the model's weights are not known on this GPU, with a profile (null: none) or without.
std::optional<std::string> weights_problem(const Gpu& gpu, const Llm& llm, const WeightTypes& weights,
                                           const KernelProfile* profile);

/// Why the profile (null: none) does not have the kernels of experts that the pool names.
std::optional<std::string> moe_backend_problem(const Pool& pool, const KernelProfile* profile);
/// What the pool says of its model's sampling and its engine's launches, in place of these.
void take_settings(Pool& pool);
/// Why the pool cannot say whether its kernels' launches depend on each other.
std::optional<std::string> dependent_launches_problem(const Pool& pool, const KernelProfile* profile);

/// Those that the pool names; and why they cannot send the tokens of its ranks with this profile.
ExchangeKernels exchange_kernels(const ExpertExchangeSpec& spec);
std::optional<std::string> exchange_problem(const Pool& pool, const KernelProfile& profile, std::int64_t node_gpus);
/// What of that the pool's GPU lacks.
std::string no_exchange(const Pool& pool);

/// Where experts come from pageable memory and the pool's laws of copies have none from there.
std::optional<std::string> pageable_problem(const Pool& pool);

/// Notes for the reader of a forecast that rests on this profile, or on the roofline.
void add_profile_notes(Pool& pool, const KernelProfile& profile, const PoolHardware& with);
void add_roofline_notes(Pool& pool, const PoolHardware& with);
/// Whatever it rests on: the data types of weights that the scenario leaves to the model's publisher, and which share
/// of the clock a limit of power holds.
void add_notes(Pool& pool);

/// Tables of step times say nothing of a GPU with another memory or other units. Leaves that in the text's problems.
bool check_table_rates(YamlText& text, const std::string& path, const Pool& pool, const PoolHardware& with);

}  // namespace servecast
