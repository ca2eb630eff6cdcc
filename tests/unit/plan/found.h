#pragma once
#include <string>
#include <vector>

#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"
#include "tests/unit/plan/made_up_study.h"

namespace servecast {

/// What a search finds where formulas stand for the engine.
struct Found {
  Found(const std::string& below_base, const Formula::Ttft& ttft_s, const Shard& share = {},
        const Formula::Ttft& bill_usd_per_hour = {})
      : file(below_base),
        study(file.load()),
        sizer(study),
        evaluator(ttft_s, bill_usd_per_hour),
        result(search(study, sizer, evaluator, share)) {}

  std::string best() const {
    return result.best.empty() ? "" : words(study, design(result.best.front()).sized.design);
  }
  const DesignResult& design(std::size_t i) const { return result.designs[i]; }
  std::vector<Verdict> verdicts() const {
    std::vector<Verdict> all;
    for (const DesignResult& d : result.designs) all.push_back(d.verdict);
    return all;
  }

  StudyFile file;
  Study study;
  Sizer sizer;
  Formula evaluator;
  SearchResult result;
};

}  // namespace servecast
