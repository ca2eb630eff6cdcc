#pragma once
#include <optional>
#include <string>

#include "models/hw/llm/llm.h"

namespace servecast {

/// What a change of a model costs in answers: points of a benchmark's score in percent.
struct AnswerLoss {
  double points = 0;
  double least_points = 0;  // as published results scatter
  double most_points = 0;
  bool extrapolated = false;  // published for another family, or for less than half or more than twice the parameters
  std::string source{};
};

/// Of weights stored otherwise than the model is published: that of the part that loses most, by the published result
/// of the same family, else of any, that is nearest in size. Nothing lost where no part is narrower than published.
/// Absent where no result is known for one of the types.
///
/// Where a result is a recovery of r percent of the score, it counts as 100 - r points, as a score is 100 at most;
/// gains count as no loss.
std::optional<AnswerLoss> weights_loss(const Llm& llm, const WeightTypes& weights);

}  // namespace servecast
