#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

struct RunFacts;

// What pools do differently with their models, in summary.json: experts elsewhere, drafts, early exits, adapters.
// Members are spelled as the keys; each list is empty where no pool does so.

/// A pool whose experts are partly outside the GPUs' memory.
struct ExpertSummary {
  std::string pool{};
  double cache_fraction = 0;
  double hit_fraction = 0;
  double prefetch_hit_fraction = 0;
  double loaded_bytes = 0;
  double disk_bytes = 0;
  double wasted_load_fraction = 0;
  double stall_fraction = 0;
  double substituted_fraction = 0;
  double host_fraction = 0;
  double left_out_fraction = 0;
  double substituted_gate_fraction = 0;
  double unlike_gate_fraction = 0;
  double left_out_gate_fraction = 0;
  double worst_layer_gate_fraction = 0;
  double quality_lost_fraction = 0;
  double quality_lost_least_fraction = 0;
  double quality_lost_most_fraction = 0;
  bool quality_extrapolated = false;
  std::string quality_source{};
  double shared_weight_bytes = 0;
  void fields(Fields& f);
  bool operator==(const ExpertSummary&) const = default;
};

/// One of several models that share a pool's slots for experts.
struct ExpertModelSummary {
  std::string pool{};
  std::string model{};
  std::int64_t experts = 0;
  std::int64_t own_experts = 0;
  double hit_fraction = 0;
  double untuned_gate_fraction = 0;
  std::optional<double> lost_points{};
  double most_lost_points = 0;
  bool extrapolated = false;
  std::string source{};
  void fields(Fields& f);
  bool operator==(const ExpertModelSummary&) const = default;
};

/// Drafts of a pool's sequences, and what came of them.
struct SpeculationSummary {
  std::string pool{};
  std::int64_t drafted_tokens = 0;
  std::int64_t accepted_tokens = 0;
  double accepted_fraction = 0;
  double tokens_per_step = 0;
  void fields(Fields& f);
  bool operator==(const SpeculationSummary&) const = default;
};

/// How deep a pool's decode steps went, and what leaving early costs in answers.
struct EarlyExitSummary {
  std::string pool{};
  std::int64_t model_layers = 0;
  double layers_per_token = 0;
  double layers_per_step = 0;
  std::optional<double> lost_points{};
  std::string accuracy_source{};
  void fields(Fields& f);
  bool operator==(const EarlyExitSummary&) const = default;
};

/// What one change of a pool's model costs in answers: narrower weights, pruning, distillation.
struct AnswerLossSummary {
  std::string pool{};
  std::string change{};
  std::optional<double> lost_points{};
  double least_points = 0;
  double most_points = 0;
  bool extrapolated = false;
  std::string source{};
  void fields(Fields& f);
  bool operator==(const AnswerLossSummary&) const = default;
};

/// LoRA adapters of a pool's requests.
struct AdapterSummary {
  std::string pool{};
  std::int64_t adapter_slots = 0;
  std::int64_t hits = 0;
  std::int64_t loads = 0;
  double hit_fraction = 0;
  double stall_s = 0;
  void fields(Fields& f);
  bool operator==(const AdapterSummary&) const = default;
};

std::vector<ExpertSummary> experts_of(const RunFacts& facts);
std::vector<ExpertModelSummary> expert_models_of(const RunFacts& facts);
std::vector<SpeculationSummary> speculations_of(const RunFacts& facts);
std::vector<EarlyExitSummary> early_exits_of(const RunFacts& facts);
std::vector<AnswerLossSummary> answer_losses_of(const RunFacts& facts);
std::vector<AdapterSummary> adapters_of(const RunFacts& facts);

}  // namespace servecast
