#pragma once
#include <string>
#include <vector>

#include "sim/plan/study/study.h"

namespace servecast {

class Evaluator;
struct PlanIdea;
struct SearchResult;
struct Shard;

/// Each option, and options together up to `most_together`: sized to their own cheapest design that keeps its
/// promises. The study as it is comes first of what costs the same.
std::vector<PlanIdea> ranked_ideas(const Study& study, Evaluator& evaluator);

/// Makes the runs of one share of what ranked_ideas() asks for.
void simulate_ideas(const Study& study, Evaluator& evaluator, const Shard& share);

}  // namespace servecast
