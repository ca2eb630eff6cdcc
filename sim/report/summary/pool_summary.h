#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/statistics.h"

namespace servecast {

class Recorder;

// Replicas, their KV memory, and what goes from one replica to another, in summary.json. Members are spelled as the
// keys.

/// Share of the sequences that may run, beyond which a small error of the step time is a large one of the queue.
inline constexpr double nearly_all_sequences = 0.85;

/// Where KV was found, and what was moved for that.
struct KvTierSummary : KvTierFacts {
  double hit_fraction = 0;
  void fields(Fields& f);
  bool operator==(const KvTierSummary&) const = default;
};

struct PoolSummary {
  std::string name{};
  std::string llm{};
  std::string gpu{};
  std::int64_t replicas = 0;
  std::int64_t gpus = 0;
  double busy_fraction = 0;
  double kv_used_fraction_mean = 0;
  double kv_used_fraction_max = 0;
  double sequences_used_fraction = 0;
  double tokenizer_busy_fraction = 0;
  double front_end_busy_fraction = 0;
  std::int64_t preemptions = 0;
  std::vector<KvTierSummary> kv_tiers{};  // empty where there is nothing below the GPUs' memory
  double energy_j = 0;
  std::optional<Statistics> itl_s{};
  void fields(Fields& f);
  bool operator==(const PoolSummary&) const = default;
};

/// Requests that went on on another replica than the one that computed their prompts.
struct HandOverSummary {
  std::string pool{};  // that computed them
  std::int64_t requests = 0;
  double bytes = 0;
  std::optional<Statistics> hand_over_s{};
  void fields(Fields& f);
  bool operator==(const HandOverSummary&) const = default;
};

/// Sequences that moved to another replica while they decoded.
struct MigrationSummary {
  std::string pool{};
  std::int64_t moved = 0;
  std::int64_t aborted = 0;
  double bytes = 0;
  std::optional<Statistics> pause_s{};
  void fields(Fields& f);
  bool operator==(const MigrationSummary&) const = default;
};

std::vector<PoolSummary> pools_of(const Recorder& recorder, const RunFacts& facts);
std::vector<HandOverSummary> hand_overs_of(const Recorder& recorder, const RunFacts& facts);
std::vector<MigrationSummary> migrations_of(const Recorder& recorder, const RunFacts& facts);

}  // namespace servecast
