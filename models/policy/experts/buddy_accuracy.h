#pragma once
#include "models/policy/expert_miss.h"

namespace servecast {

/// Accuracy that BuddyMoE (arXiv 2511.10054) publishes for DeepSeek-V2-Lite, mean of ARC-Easy and ARC-Challenge,
/// .735 without stand-ins, by share of the experts in the GPU's memory; straight lines between, and none lost with
/// all experts there. Below the smallest published share it stays as it is there and counts as extrapolated, and so
/// does another number of stand-ins per token than the published 3 and 4.
QualityFigure buddy_accuracy_lost(double cache_fraction, std::int64_t per_token);
/// The same for stand-ins drawn at random.
QualityFigure random_accuracy_lost(double cache_fraction);

}  // namespace servecast
