#pragma once
#include <string>

#include "models/base/totals.h"
#include "models/hw/llm/answer_loss.h"

namespace servecast {

/// Answer quality that stand-ins and experts left out cost.
struct AccuracyLost {
  double fraction = 0;        // points of accuracy / 100, against the same model with all its experts
  double least_fraction = 0;  // as the published points scatter
  double most_fraction = 0;
  bool extrapolated = false;  // outside what was measured
  std::string source{};
};

/// Lost = 0.65 (1 - exp(-(x / 0.21)^1.4)), where x is the share of the gates' weight that is replaced, less a tenth
/// of it for stand-ins as alike as co-activation tells: replaced - 0.1 (replaced - unlike).
///
/// Fitted to the eight points that BuddyMoE publishes (arXiv 2511.10054: DeepSeek-V2-Lite, mean of ARC-Easy and
/// ARC-Challenge, .735 untouched): random stand-ins and buddies, three or four per token, with 0.75, 0.5 and 0.375 of
/// the experts in GPU memory. The paper has no shares replaced; those are what scenarios/papers/s16_buddymoe.yaml
/// gives with prefetch. Residuals are 0.04 in the root mean square, 0.07 at most; the points lie within 0.6 and 1.4
/// times x: `least_fraction` and `most_fraction`. Three stand-ins per token or four make hardly a difference to the
/// share and twice the loss in the paper, which this leaves out. Co-activation says little of how alike experts are:
/// a fit with no likeness is as good. Experts that the gate itself would choose next are better stand-ins than any of
/// these (expert pruning on Mixtral, arXiv 2402.14800: 2.9 points with a quarter of the experts gone, 7.1 with half).
///
/// What is left out counts as if an unlike expert stood in, which is an upper bound, and so an extrapolation; so is
/// any x above 0.384, the largest of the points. Layers count alike.
AccuracyLost accuracy_lost(const GateShares& shares);

/// What a model loses in answers of which pruning left this share of each layer's experts. Straight lines through the
/// points that are published for Mixtral 8x7B, the mean of eight zero-shot tasks (arXiv 2402.14800): 2.9 with six of
/// eight left, 7.1 with four. Extrapolated with fewer, and for any other model; `least` and `most` are the same, as
/// nothing is published of how such points scatter.
AnswerLoss pruned_loss(const std::string& llm, double kept_fraction);

/// What a model loses of what tuning gained where the experts that it was tuned from serve this share of its choices
/// of tuned ones, by their gates: nothing where they serve none, the whole gain where they serve all, and as if each
/// choice carried its share of it between. How it goes between is not published: at most it is the whole gain.
AnswerLoss untuned_loss(double gained_points, double untuned_fraction);

}  // namespace servecast
