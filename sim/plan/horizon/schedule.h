#pragma once

namespace servecast {

class Evaluator;
struct PlanReport;
struct SearchResult;
struct Shard;
struct Study;

/// What to have in which month of the study's horizon, under which terms, what that costs, when the first month's
/// design breaks which promise, and what it would cost to be wrong about growth: put into the report.
void plan_horizon(const Study& study, Evaluator& evaluator, PlanReport& report);

/// Makes the runs of one share of what plan_horizon() asks for.
void simulate_horizon(const Study& study, Evaluator& evaluator, const Shard& share);

}  // namespace servecast
