#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/report/record/recorder.h"
#include "sim/report/record/run_facts.h"
#include "sim/report/statistics/statistics.h"
#include "sim/report/summary/account.h"
#include "sim/report/summary/cost_summary.h"
#include "sim/report/summary/failure_summary.h"
#include "sim/report/summary/gateway_summary.h"
#include "sim/report/summary/model_summary.h"
#include "sim/report/summary/pool_summary.h"
#include "sim/report/summary/request_summary.h"
#include "sim/report/summary/scaling_summary.h"

namespace servecast {

// The struct behind summary.json. Members are spelled as the keys; docs/figures.md lists them.

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
  std::optional<FirstUseSummary> first_use{};  // where steps waited for that
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
  std::vector<AnswerLossSummary> answer_losses{};  // by pool and change, empty where models are as published
  std::vector<ExpertSummary> expert_offload{};     // by pool, empty where all experts are in GPU memory
  std::vector<ExpertModelSummary> expert_models{};  // of pools where several share the slots
  std::vector<SpeculationSummary> speculations{};  // by pool, empty where none speculates
  std::vector<EarlyExitSummary> early_exits{};     // by pool, empty where all layers run
  std::vector<AdapterSummary> adapters{};          // by pool, empty where none has adapters
  std::vector<ScalingSummary> scaling{};           // by pool, of those with an autoscaler
  std::vector<FailureSummary> failures{};          // by pool, empty where nothing can fail
  std::vector<BrokenPartSummary> broken_parts{};   // by kind, likewise
  std::vector<ClassSummary> classes{};             // empty unless there are several
  std::vector<RestsOn> rests_on{};
  std::vector<CopiesMade> copies{};  // empty where nothing was copied
  std::vector<SiteEgress> egress{};
  std::vector<UnusedGpus> unused_gpus{};
  std::vector<ChangedHardware> changed_hardware{};
  std::vector<AddedFile> added_files{};
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
