#pragma once
#include <cstdint>
#include <optional>
#include <string>

#include "models/base/fields.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

/// What a serving engine adds to the kernels of a step; the same for every model and GPU. The defaults are those of
/// vLLM 0.15 on H100 servers (its engine file says which): all_reduce_wait_s, sampler_s_per_logit. The rest
/// follows from its code: it schedules the next step while the GPU computes this one, so host time is hidden.
struct EngineTerms {
  double all_reduce_wait_s = 2.05e-6;
  std::optional<double> pcie_all_reduce_wait_s{};
  double small_kernel_s = 2e-6;
  std::int64_t small_kernels_per_layer = 6;  // two norms, rotary embedding, cache write, activation, one copy
  double sampler_s_per_logit = 0.148e-9;
  double host_step_s = 0;
  double host_sequence_s = 0;
  bool host_overlapped = true;
  std::int64_t cuda_graph_max_tokens = 512;
  bool prompts_in_graphs = false;
  double eager_operation_s = 0;
  std::int64_t biased_choice_operations = 1;
  bool triton_mxfp4 = false;
  bool dependent_launches = true;
  double dependent_launch_s = 0;
  double norm_in_all_reduce_s = 0;
  std::string norm_in_all_reduce_models = "any";
  std::string input_scales = "dynamic";
  bool attention_in_one_call = false;
  std::int64_t shared_experts_beside_tokens = 0;
  double expert_compute_factor = 1;
  double generated_expert_compute_factor = 0;

  void fields(Fields& f) {
    f.field(
        "all_reduce_wait_s", all_reduce_wait_s,
        "until the slowest rank has come, per all-reduce and doubling of the ranks; isolated benchmarks have none");
    f.field("pcie_all_reduce_wait_s", pcie_all_reduce_wait_s,
            "the same between GPUs without NVLink, however many ranks there are; left out: all_reduce_wait_s");
    f.field("small_kernel_s", small_kernel_s, "least time of one kernel that is neither a product nor attention");
    f.field("small_kernels_per_layer", small_kernels_per_layer,
            "such kernels in a layer; norms of queries and keys, or of what latent attention compresses: 2 more");
    f.field("sampler_s_per_logit", sampler_s_per_logit,
            "sampling with top-p or top-k, per emitted token and vocabulary entry");
    f.field("host_step_s", host_step_s, "host time of one step: scheduling, launching, handing out");
    f.field("host_sequence_s", host_sequence_s, "the same, more for each sequence in it");
    f.field("host_overlapped", host_overlapped, "the host works while the GPU computes: the longer of both counts");
    f.field("cuda_graph_max_tokens", cuda_graph_max_tokens,
            "largest step run as a CUDA graph, where a pool does not say: at most twice its sequences; 0: all eager");
    f.field("prompts_in_graphs", prompts_in_graphs,
            "graphs hold steps with prompts, too, all but their attention (piecewise), not decodes alone");
    f.field(
        "eager_operation_s", eager_operation_s,
        "host time to launch one operation of a layer (8 in Llama, 20 in DeepSeek-V3) in steps outside CUDA graphs, "
        "for which the GPU waits where its kernels are done sooner; 0: the host is ahead");
    f.field("biased_choice_operations", biased_choice_operations,
            "of them, those that choose experts by scores and a bias of each expert (DeepSeek-V3)", {.min = 1});
    f.field(
        "triton_mxfp4", triton_mxfp4,
        "GPUs without units for fp4 compute experts in MXFP4 with OpenAI's Triton kernels, which Python launches: "
        "12 kernels a layer, 8 of them as two operations each");
    f.field("dependent_launches", dependent_launches,
            "whether each kernel starts while the one before ends (programmatic dependent launch), where a pool's "
            "latency does not say");
    f.field("dependent_launch_s", dependent_launch_s, "what a layer's kernels then take less than one by one");
    f.field("norm_in_all_reduce_s", norm_in_all_reduce_s,
            "the same, for each all-reduce that adds the residual and normalises in one kernel, on GPUs that compute "
            "fp4: it was measured there");
    f.field("norm_in_all_reduce_models", norm_in_all_reduce_models, "models whose all-reduces do so",
            {"any", "experts"});
    f.field(
        "input_scales", input_scales,
        "of fp8 products' inputs. dynamic: found before each product, as the kernels' benchmarks do; static: known, "
        "one kernel quantises the inputs; fused: known, the kernel before writes fp8",
        {"dynamic", "static", "fused"});
    f.field("attention_in_one_call", attention_in_one_call,
            "one call computes a step's prompts and decodes; FlashAttention 2 (GPUs before Hopper, 16-bit keys and "
            "values) then gives a decode beside a prompt a tile of 64 queries in each head");
    f.field(
        "shared_experts_beside_tokens", shared_experts_beside_tokens,
        "largest step whose shared experts are computed beside the routed ones, on a stream of their own; 0: none");
    f.field(
        "expert_compute_factor", expert_compute_factor,
        "how much longer routed experts take in a server than timed alone, of what arithmetic bounds: in steps with "
        "prompts, hardly in decodes; their tokens choose experts less evenly, and other kernels run between",
        {.min = 0.5, .max = 4});
    f.field(
        "generated_expert_compute_factor", generated_expert_compute_factor,
        "the same of the kernels that TensorRT-LLM generates and FlashInfer ships to all engines, by which GPUs that "
        "compute fp4 run experts where no moe_backend is named; 0: as others",
        {.max = 4});
  }
};

/// Softmax, sort and running sum over the whole vocabulary, on every GPU of a tensor-parallel group; nothing where
/// the model is sampled without top-p and top-k. The term was fitted on an H100; memory bounds it, so other GPUs take
/// longer in proportion to their bandwidth (assumed).
double sampler_s_per_token(const EngineTerms& engine, const Llm& llm, const Gpu& gpu);

/// Until the slowest of so many ranks has come to an all-reduce. Two ranks wait once, eight three times as long: a
/// form chosen with servers of 2, 4 and 8 ranks in view. Over PCIe all wait alike: so do Llama-3-70B's of two and
/// four.
double all_reduce_wait_s(const EngineTerms& engine, const Gpu& gpu, std::int64_t ranks);

/// For kernels whose host time is added elsewhere.
inline EngineTerms without_host(EngineTerms terms) {
  terms.host_step_s = terms.host_sequence_s = terms.eager_operation_s = 0;
  return terms;
}

/// A step of `gpu_s` with what the host does for so many sequences.
inline double with_host_s(const EngineTerms& engine, double gpu_s, std::int64_t sequences) {
  const double host_s = engine.host_step_s + engine.host_sequence_s * static_cast<double>(sequences);
  if (!engine.host_overlapped) return gpu_s + host_s;
  return gpu_s > host_s ? gpu_s : host_s;
}

}  // namespace servecast
