#pragma once
#include <optional>

#include "models/hw/parallel/wide_experts.h"
#include "tests/unit/hw/made_up.h"

namespace servecast {

/// Laws that are plain sums, and no residuals. Inside a node nothing is sent in no time but the launch.
inline KernelProfile exchange_profile() {
  const auto fit = [](const char* op, const char* dtype, const char* mode, const KernelLaw& law) {
    return FittedOperator{.op = op, .dtype = dtype, .mode = mode, .law = law};
  };
  KernelProfile profile{.name = "made_up.vllm", .elementwise_bytes_per_s = 1e12};
  profile.operators = {
      fit("gemm", "bf16", "", {.launch_s = 1e-6, .flop_per_s = 1e12, .bytes_per_s = 1e12}),
      fit("decode_attention", "", "", {.launch_s = 2e-6, .bytes_per_s = 1e12}),
      fit("prefill_attention", "", "", {.launch_s = 9e-6, .flop_per_s = 1e13}),
      fit("moe", "bf16", "balanced", {.launch_s = 3e-6, .flop_per_s = 1e12, .bytes_per_s = 1e12}),
      fit("ep_dispatch", "fp8", "normal", {.launch_s = 20e-6, .bytes_per_s = 1e15}),
      fit("ep_dispatch", "fp8", "ll", {.launch_s = 10e-6, .bytes_per_s = 1e15}),
      fit("ep_combine", "bf16", "normal", {.launch_s = 40e-6, .bytes_per_s = 1e15}),
      fit("ep_combine", "bf16", "ll", {.launch_s = 10e-6, .bytes_per_s = 1e15}),
      fit("all_reduce", "", "eager", {.launch_s = 5e-6, .bytes_per_s = 1e12}),
      fit("all_gather", "", "nccl", {.launch_s = 7e-6, .bytes_per_s = 1e12}),
  };
  profile.operators[1].kv_dtype = profile.operators[2].kv_dtype = "bf16";
  profile.operators[1].head_dim = profile.operators[2].head_dim = 50;
  return profile;
}

/// 2 layers, one of them with 4 experts of which 2 are active, on 4 GPUs of 2 nodes.
struct MadeExchange {
  Gpu gpu = made_up_gpu();
  KernelProfile profile = exchange_profile();
  Llm llm = tiny_moe();
  Shape shape{.expert_parallel = 4};
  ExchangeKernels exchange = ExchangeKernels::high_throughput;
  bool overlap = false;
  RankLoads loads{};
  double port_bytes_per_s = 1e9;
  std::string moe_backend = "auto";
  EngineTerms terms{.all_reduce_wait_s = 0, .small_kernel_s = 0, .cuda_graph_max_tokens = 0};
  mutable std::optional<KernelTimes> times{};  // of `profile`, as it was when it was last asked

  ProfileInputs kernels() const {
    times.emplace(profile);
    return {.gpu = gpu,
            .profile = &*times,
            .llm = llm,
            .shape = shape,
            .max_step_tokens = 4000,
            .max_sequences = 400,
            .stage_link = {.bytes_per_s = 1e9, .latency_s = 1e-6},
            .terms = terms,
            .rank_loads = loads,
            .moe_backend = moe_backend};
  }
  std::unique_ptr<StepLatency> make() const {
    return make_wide_experts({.kernels = kernels(),
                              .link = {.node_gpus = 2, .bytes_per_s = port_bytes_per_s},
                              .exchange = exchange,
                              .two_batch_overlap = overlap});
  }
  /// What one GPU computes for its own sequences, and its share of all tokens.
  StageTime rank(const StepWork& work, std::int64_t stage = 0) const {
    ProfileInputs in = kernels();
    in.max_step_tokens /= shape.ranks();
    in.max_sequences /= shape.ranks();
    in.terms = without_host(terms);
    return make_profile_latency(in)->stage(work, stage);
  }
};

inline StepWork decodes(std::int64_t sequences) {
  return {.decode_sequences = sequences, .decode_kv_tokens = 50 * sequences, .emitted_tokens = sequences};
}

}  // namespace servecast
