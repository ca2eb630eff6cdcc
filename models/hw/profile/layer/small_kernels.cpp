#include "models/hw/profile/layer/small_kernels.h"

#include <algorithm>

#include "models/base/counts.h"
#include "models/hw/roofline/layer_model.h"

namespace servecast {
namespace {

constexpr std::int64_t starts_of_layer = 10;
constexpr double fp32_logit_bytes = 4;

double empty_kernel_s(const EngineTerms& terms, const KernelTimes& kernels) {
  const auto all = kernels.launches(starts_of_layer, terms.cuda_graph_max_tokens > 0 ? "graph" : "eager");
  return all ? all->seconds / real(starts_of_layer) : 0;
}

}  // namespace

double least_kernel_s(const EngineTerms& terms, const KernelTimes& kernels) {
  return std::max(terms.small_kernel_s, empty_kernel_s(terms, kernels));
}

// A norm reads what is added and the residual and writes both, 8 bytes per unit where 6 are counted. Experts'
// activation is part of their layer's rows; latent and linear attention turn other parts than the kernel that is
// timed.
std::vector<SmallKernels::Known> SmallKernels::known(const ProfileInputs& in, const LayerKind& kind) {
  const auto gpus = real(in.shape.tensor_parallel);
  std::vector<Known> all{{.mode = "residual_norm",
                          .calls = 2,
                          .counted_bytes = 6 * real(in.llm.hidden),
                          .moved_bytes = 8 * real(in.llm.hidden)}};
  if (!kind.linear_attention && !in.llm.latent) {
    const double turned = real(in.llm.heads * in.llm.query_size()) / gpus +
                          real(kv_heads_per_gpu(in.llm, in.shape.tensor_parallel) * in.llm.head_size);
    all.push_back({.mode = "rope_heads", .counted_bytes = 4 * turned, .moved_bytes = 4 * turned});
  }
  if (!kind.experts && in.llm.gated_mlp) {
    const double bytes = 6 * real(in.llm.intermediate) / gpus;
    all.push_back({.mode = "silu_mul", .counted_bytes = bytes, .moved_bytes = bytes});
  }
  return all;
}

SmallKernels::SmallKernels(const ProfileInputs& in, const LayerKind& kind)
    : kernels_(*in.profile),
      least_s_(least_kernel_s(in.terms, kernels_)),
      others_(in.terms.small_kernels_per_layer + more_norms(in.llm)),
      bytes_(elementwise_bytes_per_token(in.llm, in.shape.tensor_parallel, kind)) {
  for (const Known& one : known(in, kind)) {
    if (!kernels_.elementwise(1, one.mode)) continue;
    timed_.push_back(one);
    others_ = std::max<std::int64_t>(0, others_ - one.calls);
    bytes_ -= real(one.calls) * one.counted_bytes;
  }
}

double SmallKernels::seconds(std::int64_t rows) const {
  double sum = real(others_) * least_s_ + real(rows) * bytes_ / kernels_.elementwise_bytes_per_s();
  for (const Known& one : timed_)
    sum += real(one.calls) * kernels_.elementwise(real(rows) * one.moved_bytes, one.mode)->seconds;
  return sum;
}

double timed_sampling_s(const ProfileInputs& in, std::int64_t emitted) {
  const bool among_few = in.llm.sampling == "topk_topp" && in.terms.sampler_s_per_logit == 0;
  if (emitted == 0 || (in.llm.sampling != "greedy" && !among_few)) return 0;
  const auto time = in.profile->elementwise(fp32_logit_bytes * real(emitted) * real(in.llm.vocabulary),
                                            among_few ? "sample_top_50" : "sample_greedy");
  return time ? time->seconds : 0;
}

}  // namespace servecast
