#pragma once
#include <cstdint>
#include <memory>

#include "models/hw/latency/step_latency.h"

namespace servecast {

/// What making drafts costs.
struct DraftCost {
  std::unique_ptr<StepLatency> model{};  // of one stage; nothing where drafts are made without one
  double host_sequence_s = 0;            // for every sequence
  std::int64_t candidates = 1;           // of each draft: a pass makes as many tokens of every sequence
  bool first_layers = false;             // `model` is the first layers of the checked one, which goes on behind them
};

/// A step in which drafts are checked, and the next ones made. The drafter first takes in what the step has computed,
/// prompts too, with as many rows as the step has (rejected ones are padding, as in vLLM), which gives the first
/// draft; every further one is a step of one token for each sequence, or of one for each candidate. It runs on the
/// last stage behind the model's own step, as the drafts start from what that step has made. Without drafts the step
/// is the model's, but prompts are computed for the drafter all the same.
///
/// Where the model's first layers draft, prompts need no pass of their own, every draft is one of these passes, and
/// the check is spared these layers.
std::unique_ptr<StepLatency> make_drafted(std::unique_ptr<StepLatency> model, DraftCost cost);

}  // namespace servecast
