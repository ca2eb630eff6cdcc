#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

namespace servecast {

// What a replica counts, in sums. Each struct adds up with +=, over replicas and over whatever else; a new count is a
// member and its line there.

/// Its steps.
struct ReplicaTotals {
  std::int64_t steps = 0;
  double busy_s = 0;               // averaged over its pipeline stages
  double extrapolated_s = 0;       // the part of it from step times outside their fitted range
  double kv_block_s = 0;           // KV blocks held, integrated over time
  std::int64_t kv_blocks_max = 0;  // in the fullest replica at its fullest
  std::int64_t preemptions = 0;
  std::int64_t swaps = 0;          // of sequences' KV to the host's memory, or back
  double swapped_bytes = 0;        // of each of their GPUs
  double step_energy_j = 0;        // of its GPUs while in a step
  std::int64_t prompt_tokens = 0;  // computed, recomputed ones included
  std::int64_t found_tokens = 0;   // of prompts, in the GPU's memory without a fetch
  std::int64_t output_tokens = 0;
  std::int64_t adapter_hits = 0;   // requests whose adapter was on the GPUs when they were admitted
  std::int64_t adapter_loads = 0;  // those whose adapter was not
  double adapter_stall_s = 0;      // steps waited for loads
  double first_use_s = 0;          // steps waited for kernels that nothing had used before
  double front_end_s = 0;          // its front end sent pieces of answers

  ReplicaTotals& operator+=(const ReplicaTotals& next) {
    steps += next.steps;
    busy_s += next.busy_s;
    extrapolated_s += next.extrapolated_s;
    kv_block_s += next.kv_block_s;
    kv_blocks_max = std::max(kv_blocks_max, next.kv_blocks_max);
    preemptions += next.preemptions;
    swaps += next.swaps;
    swapped_bytes += next.swapped_bytes;
    step_energy_j += next.step_energy_j;
    prompt_tokens += next.prompt_tokens;
    found_tokens += next.found_tokens;
    output_tokens += next.output_tokens;
    adapter_hits += next.adapter_hits;
    adapter_loads += next.adapter_loads;
    adapter_stall_s += next.adapter_stall_s;
    first_use_s += next.first_use_s;
    front_end_s += next.front_end_s;
    return *this;
  }
};

/// How much of what a model's gates asked for it did not get: shares of the gates' weight, means over layers.
struct GateShares {
  double replaced = 0;     // that stand-ins got
  double unlike = 0;       // the same, weighted with how unlike the stand-in is
  double left_out = 0;     // that no expert got
  double worst_layer = 0;  // replaced and left out in the layer where that is most
};

/// What came of experts outside GPU memory, over steps and layers. A request for an expert counts once per step and
/// layer, however many tokens make it; a choice counts once per token.
struct ExpertTotals {
  /// Of one layer, weighted with the gates, of which a token's sum to 1 in a layer.
  struct Gates {
    double all = 0;
    double replaced = 0;  // of choices that another expert stood in for
    double unlike = 0;    // of these, weighted with how unlike it is
    double left_out = 0;

    Gates& operator+=(const Gates& next) {
      all += next.all;
      replaced += next.replaced;
      unlike += next.unlike;
      left_out += next.left_out;
      return *this;
    }
  };

  /// Of one of the models that share the slots.
  struct Model {
    std::int64_t requested = 0;
    std::int64_t resident = 0;
    double tuned_gates = 0;  // of choices of experts that it has tuned
    double base_gates = 0;   // of these, that the one it was tuned from stood in for

    Model& operator+=(const Model& next) {
      requested += next.requested;
      resident += next.resident;
      tuned_gates += next.tuned_gates;
      base_gates += next.base_gates;
      return *this;
    }
  };

  std::int64_t requested = 0;
  std::int64_t resident = 0;    // of these, found in the GPUs' memory
  std::int64_t prefetched = 0;  // on their way there, by a right guess
  std::int64_t loads = 0;
  std::int64_t guesses = 0;  // of the loads
  double loaded_bytes = 0;
  double disk_bytes = 0;  // of these, from disk
  double choices = 0;
  double substituted = 0;
  double on_host = 0;
  double left_out = 0;
  double step_s = 0;           // steps took, summed over the stages that have experts
  double stall_s = 0;          // of that, what they would not have taken with all loads in time
  std::vector<Gates> gates{};  // by layer with experts
  std::vector<Model> models{};

  GateShares gate_shares() const {
    GateShares shares;
    for (const Gates& layer : gates) {
      if (layer.all <= 0) continue;
      const auto layers = static_cast<double>(gates.size());
      shares.replaced += layer.replaced / layer.all / layers;
      shares.unlike += layer.unlike / layer.all / layers;
      shares.left_out += layer.left_out / layer.all / layers;
      shares.worst_layer = std::max(shares.worst_layer, (layer.replaced + layer.left_out) / layer.all);
    }
    return shares;
  }

  ExpertTotals& operator+=(const ExpertTotals& next) {
    requested += next.requested;
    resident += next.resident;
    prefetched += next.prefetched;
    loads += next.loads;
    guesses += next.guesses;
    loaded_bytes += next.loaded_bytes;
    disk_bytes += next.disk_bytes;
    choices += next.choices;
    substituted += next.substituted;
    on_host += next.on_host;
    left_out += next.left_out;
    step_s += next.step_s;
    stall_s += next.stall_s;
    gates.resize(std::max(gates.size(), next.gates.size()));
    for (std::size_t layer = 0; layer < next.gates.size(); ++layer) gates[layer] += next.gates[layer];
    models.resize(std::max(models.size(), next.models.size()));
    for (std::size_t model = 0; model < next.models.size(); ++model) models[model] += next.models[model];
    return *this;
  }
};

/// What came of speculation.
struct DraftTotals {
  std::int64_t checks = 0;  // a sequence's drafts checked in a step
  std::int64_t drafted = 0;
  std::int64_t accepted = 0;

  DraftTotals& operator+=(const DraftTotals& next) {
    checks += next.checks;
    drafted += next.drafted;
    accepted += next.accepted;
    return *this;
  }
};

/// How deep steps with decodes went.
struct ExitTotals {
  std::int64_t steps = 0;
  std::int64_t layers = 0;  // that they ran, summed over these steps

  ExitTotals& operator+=(const ExitTotals& next) {
    steps += next.steps;
    layers += next.layers;
    return *this;
  }
};

}  // namespace servecast
