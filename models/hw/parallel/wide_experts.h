#pragma once
#include <memory>

#include "models/hw/parallel/expert_exchange.h"
#include "models/hw/profile/profile_latency.h"

namespace servecast {

struct WideExpertsInputs {
  ProfileInputs kernels;  // shape.ranks() above 1; the largest step and batch are those of the whole replica
  NodeLink link{};        // of one stage
  ExchangeKernels exchange = ExchangeKernels::high_throughput;
  bool two_batch_overlap = false;
};

/// Step time where the experts of a layer are spread over many GPUs, in ranks that attend to requests of their own
/// (DeepSeek-V3's wide expert parallelism). All GPUs take a step together, so the fullest rank counts: ceil(sequences
/// / ranks) sequences of mean size, decodes and prompts alike; experts get what all ranks have. With C its arithmetic
/// (make_profile_latency, its share of all experts) and X dispatch and combine of all expert layers (ExpertExchange):
///   C + X, or with two_batch_overlap, C and X those of half the batch:
///   2 C (1 - f) + max(2 C f s, 2 X) + min(C f s, X) / expert layers,
/// f = share of expert layers; one half's arithmetic hides the other's exchange, but for the first and last; s = 132
/// / 112 with high_throughput kernels, which take 20 of 132 SMs (DeepSeek-V3 report, 3.2.2), 1 with low_latency ones,
/// which take none while they wait. Host time as in make_profile_latency().
/// A pipeline stage is such a group of its own, with its own layers' C, f and X; a rank hands over to the same rank
/// of the next stage, and the host works for the first stage. In a rank of several GPUs attention and dense layers
/// are tensor-parallel. Each GPU then takes its equal share of the rank's tokens through router, shared experts,
/// dispatch and combine, and an all-gather gives the results to all ranks (vLLM's deepseek_v2.py:
/// sequence_parallel_chunk, tensor_model_parallel_all_gather). So C has an all-reduce and an all-gather in a layer
/// with experts, and X is that of ceil(tokens / GPUs) tokens of each GPU. Experts are used evenly, or as
/// `kernels.rank_loads` says: all wait for the GPU whose experts are wanted most, in its products and in what it
/// receives. Leaves out: ranks with more requests than others (what two of the three balancers of DeepSeek even out),
/// splitting where it does not pay.
std::unique_ptr<StepLatency> make_wide_experts(const WideExpertsInputs& inputs);

}  // namespace servecast
