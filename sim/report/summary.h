#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/account.h"
#include "sim/report/failure_summary.h"
#include "sim/report/gateway_summary.h"
#include "sim/report/recorder.h"
#include "sim/report/run_facts.h"
#include "sim/report/scaling_summary.h"
#include "sim/report/statistics.h"

namespace servecast {

/// Share of the sequences that may run, beyond which a small error of the step time is a large one of the queue.
inline constexpr double nearly_all_sequences = 0.85;

// The struct behind summary.json. Members are spelled as the keys; docs/report.md explains each.

/// The latencies of some requests; absent where no request got so far.
struct Latencies {
  std::optional<Statistics> ttft_s{};
  std::optional<Statistics> tpot_s{};
  std::optional<Statistics> e2e_s{};
  std::optional<Statistics> queue_s{};
  bool operator==(const Latencies&) const = default;
};

/// What was promised and what was kept. Without any bound nothing is attained or missed: the shares are absent.
struct SloSummary {
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  std::optional<double> e2e_s{};
  std::optional<double> target_fraction{};
  std::optional<double> attained_fraction{};
  std::optional<double> goodput_requests_per_s{};
  std::optional<double> ttft_attained_fraction{};
  std::optional<double> tpot_attained_fraction{};
  std::optional<double> e2e_attained_fraction{};

  bool met() const { return attained_fraction && *attained_fraction >= *target_fraction; }
  void fields(Fields& f);
  bool operator==(const SloSummary&) const = default;
};

struct CostSummary {
  double usd_per_hour = 0;
  double usd_total = 0;
  std::optional<double> usd_per_request{};                // absent where none completed
  std::optional<double> usd_per_million_output_tokens{};  // absent where none was made
  void fields(Fields& f);
  bool operator==(const CostSummary&) const = default;
};

struct EnergySummary {
  double j_total = 0;
  std::optional<double> j_per_output_token{};
  void fields(Fields& f);
  bool operator==(const EnergySummary&) const = default;
};

/// Where KV was found, and what was moved for that.
struct KvTierSummary {
  std::string tier{};
  std::int64_t hit_tokens = 0;
  double hit_fraction = 0;
  double fetched_bytes = 0;
  double written_bytes = 0;
  double evicted_bytes = 0;
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
  std::optional<double> quality_lost_fraction{};
  bool quality_extrapolated = false;
  std::string quality_source{};
  void fields(Fields& f);
  bool operator==(const ExpertSummary&) const = default;
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

struct ClassSummary {
  std::string name{};
  RequestCounts requests{};
  Latencies latencies{};
  std::optional<double> attained_fraction{};
  void fields(Fields& f);
  bool operator==(const ClassSummary&) const = default;
};

struct Summary {
  std::string name{};
  std::string version{};
  std::int64_t seed = 0;
  std::string workload{};
  double duration_s = 0;
  std::int64_t steps = 0;
  bool saturated = false;
  bool near_saturation = false;
  RequestCounts requests{};
  Latencies latencies{};
  std::optional<Statistics> itl_s{};
  double percentile_error_fraction = 0;
  double requests_per_s = 0;
  double prompt_tokens_per_s = 0;
  double output_tokens_per_s = 0;
  SloSummary slo{};
  CostSummary cost{};
  EnergySummary energy{};
  std::optional<AccountSummary> account{};  // where the scenario keeps one
  GatewaySummary gateway{};
  std::vector<PoolSummary> pools{};
  std::vector<HandOverSummary> hand_overs{};       // by pool, empty where nothing was handed over
  std::vector<MigrationSummary> migrations{};      // likewise
  std::vector<ExpertSummary> expert_offload{};     // by pool, empty where all experts are in GPU memory
  std::vector<SpeculationSummary> speculations{};  // by pool, empty where nobody speculates
  std::vector<EarlyExitSummary> early_exits{};     // by pool, empty where all layers run
  std::vector<AdapterSummary> adapters{};          // by pool, empty where nobody has adapters
  std::vector<ScalingSummary> scaling{};           // by pool, of those with an autoscaler
  std::vector<FailureSummary> failures{};          // by pool, empty where nothing can fail
  std::vector<BrokenPartSummary> broken_parts{};   // by kind, likewise
  std::vector<ClassSummary> classes{};             // empty unless there are several
  std::vector<RestsOn> rests_on{};
  std::vector<UnusedGpus> unused_gpus{};
  std::vector<ChangedHardware> changed_hardware{};
  std::string settings = "{}";  // JSON text

  void fields(Fields& f);  // all but the settings
  bool operator==(const Summary&) const = default;
};

/// Everything there is to say about a run. `recorder` must be closed.
Summary summarise(const Recorder& recorder, const RunFacts& facts);

/// The text of summary.json: numbers with 9 significant digits, the settings as they were given.
std::string to_json(const Summary& summary);

/// Reads summary.json back. Throws UserError where the file is missing, cut short or something else.
Summary read_summary(const std::string& file);
/// The same of a text, which messages call `name`.
Summary summary_from(const std::string& text, const std::string& name);

}  // namespace servecast
