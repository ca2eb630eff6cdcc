#pragma once
#include <optional>
#include <string>

namespace servecast {

class Evaluator;
struct PlanReport;
struct Shard;

/// Carries out a study; `folder` takes the base scenario where it stands in the study itself.
PlanReport plan_study(const std::string& file, const std::string& folder, Evaluator& evaluator);

/// Makes the runs of one share of a study's work, for `plan merge`: what was done, in a line. The answer is the whole
/// study's.
std::string simulate_share(const std::string& file, const Shard& share, Evaluator& evaluator);

/// The whole study without a simulation: what memory, budgets and bounds say.
PlanReport size_up_study(const std::string& file);

/// The answer of a study that memory, budgets and bounds decide alone; nothing where it takes simulations.
std::optional<PlanReport> report_by_bounds(const std::string& file);

/// Throws UserError where no design keeps its promises: which one comes closest, and what it misses.
void refuse_without_answer(const PlanReport& report);

}  // namespace servecast
