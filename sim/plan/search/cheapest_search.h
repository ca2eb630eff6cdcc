#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "sim/plan/judge/draws.h"
#include "sim/plan/search/search.h"

namespace servecast {

struct DrawOutcome;
class Runs;

/// Designs that neither size nor budget has ruled out.
std::vector<std::size_t> candidates_by_size(const std::vector<DesignResult>& designs);

/// What is asked for as evidence: draws, or one run at the best estimate.
struct Evidence {
  Evidence(const Study& study, std::size_t candidates);

  std::int64_t draw(std::int64_t i) const { return by_draws ? i + 1 : 0; }
  DrawVerdict of(const DrawCount& count) const;

  bool by_draws;
  std::int64_t comparisons;
  DrawPlan plan;
};

/// Whether the bound breaks the promise in as many draws as the first look wants.
bool broken_by_bound(const Evidence& evidence, const DesignResult& design);

/// Designs from the best to the worst that they can be.
class CheapestSearch {
 public:
  CheapestSearch(const Study& study, Runs& runs, std::vector<DesignResult>& designs);

  SearchResult run(const Shard& share);

 private:
  struct Best {
    std::optional<std::size_t> design{};
    GoalValue value{};  // where there is one
  };

  std::vector<std::size_t> ordered(std::vector<std::size_t> some) const;
  void rule_out_by_bound(std::vector<std::size_t>& candidates);
  GoalValue at_least(const DesignResult& d) const;
  bool pointless(std::size_t i) const;
  bool open(std::size_t i) const { return designs_[i].verdict == Verdict::undecided; }
  void judge(const std::vector<std::size_t>& candidates);
  void judge_kinds(const std::vector<std::size_t>& candidates, const Shard& share, SearchResult& result);
  std::optional<std::size_t> best_of_kind(const std::vector<std::size_t>& candidates);
  bool waits_for(std::int64_t look, std::size_t i) const;
  void look_at(const std::vector<std::size_t>& group, std::int64_t look);
  void take(DesignResult& d, const DrawOutcome& outcome) const;
  void estimate(DesignResult& d);
  void finish(std::size_t i);

  const Study& study_;
  Runs& runs_;
  std::vector<DesignResult>& designs_;
  Evidence evidence_;
  Best best_{};
};

}  // namespace servecast
