#pragma once
#include <string>

namespace servecast {

struct Scenario;

/// What `plan --emit` can write of a scenario's pools.
inline constexpr const char* emit_vllm = "vllm";
inline constexpr const char* emit_kubernetes = "kubernetes";
/// And of a study, see sim/plan/emit/slurm.h.
inline constexpr const char* emit_slurm = "slurm";

/// Command lines or a manifest.
std::string emitted(const std::string& what, const Scenario& scenario);

}  // namespace servecast
