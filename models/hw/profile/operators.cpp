#include "models/hw/profile/operators.h"

#include <algorithm>

#include "models/base/counts.h"
#include "models/base/stable_math.h"
#include "models/hw/llm/data_type.h"

namespace servecast {
namespace {

using Sizes = std::array<double, max_grid_axes>;

double at_least_one_of(std::int64_t n) { return real(std::max<std::int64_t>(n, 1)); }

KernelWork gemm_work(const KernelShape& s, const NumberSizes& number) {
  const double m = real(s.m), n = real(s.n), k = real(s.k);
  return {.flop = 2 * m * n * k, .bytes = n * k * number.weight + m * k * number.activation + m * n * 2};
}
/// Rows in multiples of 16, or not: vLLM's fp8 products take a sixth longer with 513 rows than with 768. A set of
/// aligned rows alone, as all of A100's, is taken for both: in bf16 on H100 the medians of both, at any number of
/// rows, lie -2 to 9 % apart.
double row_alignment(std::int64_t m) { return m <= 16 || m % 16 == 0 ? 1 : 2; }
Sizes gemm_sizes(const KernelShape& s) { return {real(s.n), real(s.k), row_alignment(s.m - s.padding), real(s.m)}; }

/// Causal: each new token attends to what precedes it. Four operations per pair and head unit: scores and values.
KernelWork prefill_work(const KernelShape& s, const NumberSizes& number) {
  const double pairs = real(s.tokens) * (real(s.context) - real(s.tokens) / 2);
  return {.flop = 4 * real(s.sequences * s.q_heads * s.head_dim) * pairs,
          .bytes = real(s.sequences * s.head_dim) *
                   (2 * real(s.kv_heads * s.context) * number.kv + 2 * real(s.q_heads * s.tokens) * 2),
          .ramp = 1 / real(s.tokens)};
}
Sizes prefill_sizes(const KernelShape& s) {
  return {real(s.sequences), real(s.q_heads), real(s.q_heads) / real(s.kv_heads), real(s.tokens)};
}

/// Reads every key and value once; query heads that share a KV head share the reading.
KernelWork decode_work(const KernelShape& s, const NumberSizes& number) {
  const double kv = real(s.sequences) * real(s.context) * real(s.head_dim);
  return {
      .flop = 4 * real(s.q_heads) * kv, .bytes = 2 * real(s.kv_heads) * number.kv * kv, .ramp = 1 / real(s.context)};
}
/// More than 8 KV heads are not measured: the grid of work is that of 8 heads and as many more sequences.
Sizes decode_sizes(const KernelShape& s) {
  const double heads = std::min(real(s.kv_heads), 8.0);
  return {real(s.sequences) * real(s.kv_heads) / heads, heads, real(s.q_heads) / real(s.kv_heads), real(s.context)};
}

/// Prompts run with full heads: n = length of a query or key vector, k = of a value.
KernelWork mla_prefill_work(const KernelShape& s, const NumberSizes& number) {
  const double pairs = real(s.tokens) * (real(s.context) - real(s.tokens) / 2);
  return {.flop = 2 * real(s.sequences * s.q_heads * (s.n + s.k)) * pairs,
          .bytes = real(s.sequences * s.q_heads * (s.n + s.k)) * (real(s.context) * number.kv + real(s.tokens) * 2),
          .ramp = 1 / real(s.tokens)};
}
Sizes mla_prefill_sizes(const KernelShape& s) { return {real(s.sequences), real(s.q_heads), real(s.tokens), 1}; }

/// Decoding works on the latent vector itself (n long, of which the first k are the value), one for all heads.
KernelWork mla_decode_work(const KernelShape& s, const NumberSizes& number) {
  const double vectors = real(s.sequences) * real(s.context);
  return {.flop = 2 * real(s.q_heads * (s.n + s.k)) * vectors,
          .bytes = real(s.n) * number.kv * vectors,
          .ramp = 1 / real(s.context)};
}
Sizes mla_decode_sizes(const KernelShape& s) { return {real(s.sequences), real(s.q_heads), real(s.context), 1}; }

/// Both grouped products of a gated expert layer (three matrices) on one GPU. Balanced routing touches
/// min(experts, visits) experts.
KernelWork moe_work(const KernelShape& s, const NumberSizes& number) {
  const double local = real(s.experts) / at_least_one_of(s.expert_parallel);
  const double visits = real(s.m * s.top_k) / at_least_one_of(s.expert_parallel);
  const double width = real(s.n) / at_least_one_of(s.tensor_parallel);
  return {.flop = 6 * visits * width * real(s.k),
          .bytes = std::min(local, std::max(visits, 1.0)) * 3 * width * real(s.k) * number.weight +
                   visits * (2 * real(s.k) + 3 * width) * number.activation};
}
Sizes moe_sizes(const KernelShape& s) {
  return {real(s.experts) / at_least_one_of(s.expert_parallel),
          real(s.k) * real(s.n) / at_least_one_of(s.tensor_parallel), real(s.m * s.top_k) / real(s.experts), 1};
}

/// One layer by itself: how it is split, and its tokens. Kernels are chosen and tuned for it, so that experts of
/// other sizes say little of it.
Sizes moe_layer_sizes(const KernelShape& s) {
  return {at_least_one_of(s.tensor_parallel), at_least_one_of(s.expert_parallel), real(s.m), 1};
}

/// The two products that DeepSeek's decoding absorbs into the latent space: m tokens, n columns of k deep for each
/// head.
KernelWork mla_bmm_work(const KernelShape& s, const NumberSizes& number) {
  const double heads = real(s.q_heads), m = real(s.m), n = real(s.n), k = real(s.k);
  return {.flop = 2 * heads * m * n * k, .bytes = heads * (n * k * number.weight + m * (n + k) * 2)};
}
Sizes mla_bmm_sizes(const KernelShape& s) { return {real(s.q_heads), real(s.m), 1, 1}; }

/// What a ring or a switch moves in and out of one GPU; `bytes` is the whole vector.
KernelWork reduce_work(const KernelShape& s, const NumberSizes&) {
  return {.bytes = 2 * (1 - 1 / real(s.ranks)) * real(s.bytes)};
}
KernelWork gather_work(const KernelShape& s, const NumberSizes&) {
  return {.bytes = (1 - 1 / real(s.ranks)) * real(s.bytes)};
}
Sizes collective_sizes(const KernelShape& s) { return {real(s.ranks), real(s.bytes), 1, 1}; }

/// Which algorithm sums: vLLM's own (csrc/custom_all_reduce.cuh) in one pass for small vectors, in two for larger
/// ones, and NCCL from 8 MiB. Nothing is interpolated from one to the other.
double all_reduce_algorithm(const KernelShape& s) {
  constexpr std::int64_t kib = 1024;
  if (s.bytes >= 8 * kib * kib) return 3;
  const std::int64_t one_pass_below = s.ranks <= 2 ? 8 * kib * kib : s.ranks <= 4 ? 512 * kib : 256 * kib;
  return s.bytes < one_pass_below ? 1 : 2;
}
Sizes all_reduce_sizes(const KernelShape& s) { return {real(s.ranks), all_reduce_algorithm(s), real(s.bytes), 1}; }

KernelWork copy_work(const KernelShape& s, const NumberSizes&) { return {.bytes = real(s.bytes)}; }
Sizes copy_sizes(const KernelShape& s) { return {real(s.bytes), 1, 1, 1}; }

/// Copies within one memory: blocks of n bytes, or one piece (n 0).
Sizes block_sizes(const KernelShape& s) { return {at_least_one_of(s.n), real(s.bytes), 1, 1}; }

/// m kernels that do nothing, one after the other.
KernelWork launch_work(const KernelShape&, const NumberSizes&) { return {}; }
Sizes launch_sizes(const KernelShape& s) { return {real(s.m), 1, 1, 1}; }

/// Tokens to and from their experts on other GPUs: each token once per rank that holds one of its experts.
KernelWork exchange_work(const KernelShape& s, const NumberSizes& number) {
  const double ranks = at_least_one_of(s.ranks);
  const double ranks_met = ranks * (1 - stable::pow(1 - 1 / ranks, real(s.top_k)));
  return {.bytes = real(s.m * s.k) * ranks_met * number.activation};
}
Sizes exchange_sizes(const KernelShape& s) { return {real(s.top_k), real(s.k), real(s.m), 1}; }

/// The same within one NVLink domain, by kernels whose time depends on how many GPUs take part.
Sizes nvlink_sizes(const KernelShape& s) { return {real(s.ranks), real(s.m), 1, 1}; }

constexpr double none = 0;
constexpr OperatorAxis unused{"", 1, none};
constexpr OperatorAxis ranks_axis{"ranks", 1.2, 0.001};

// Stiffness and spacing were chosen by the error on held-out shapes of the A100, H100 and H200 sets, which that error
// therefore flatters somewhat. Products are smoothest in k.
constexpr std::array kinds{
    OperatorKind{"gemm",
                 "matrix product",
                 gemm_work,
                 4,
                 {{{"n", 1.4, 0.04}, {"k", 1.9, 0.2}, {"unaligned", 1.1, none, 0.04, true}, {"m", 1.25, 0.04}}},
                 gemm_sizes},
    OperatorKind{"prefill_attention",
                 "causal attention of prompts",
                 prefill_work,
                 4,
                 {{{"sequences", 3.9, 0.1}, {"q_heads", 1.3, 0.1}, {"group", 3.9, 0.1}, {"tokens", 1.3, 0.05}}},
                 prefill_sizes},
    OperatorKind{"decode_attention",
                 "attention of one new token per sequence",
                 decode_work,
                 4,
                 {{{"sequences", 1.9, 0.05}, {"kv_heads", 1.9, 0.05}, {"group", 1.9, 0.1}, {"context", 1.9, 0.05}}},
                 decode_sizes},
    OperatorKind{"mla_prefill",
                 "latent attention of prompts",
                 mla_prefill_work,
                 3,
                 {{{"sequences", 1.9, 0.1}, {"q_heads", 1.9, 0.1}, {"tokens", 1.3, 0.05}, unused}},
                 mla_prefill_sizes},
    OperatorKind{"mla_decode",
                 "latent attention of one new token per sequence",
                 mla_decode_work,
                 3,
                 {{{"sequences", 1.9, 0.1}, {"q_heads", 1.9, 0.1}, {"context", 1.9, 0.05}, unused}},
                 mla_decode_sizes},
    OperatorKind{
        "moe",
        "grouped products of the routed experts",
        moe_work,
        3,
        {{{"local_experts", 1.9, 0.05}, {"expert_size", 1.9, 0.05}, {"visits_per_expert", 1.5, 0.03}, unused}},
        moe_sizes},
    OperatorKind{"moe_layer",
                 "the same in one model's layer",
                 moe_work,
                 3,
                 {{{"tensor_parallel", 1.1, 0.003}, {"expert_parallel", 1.1, 0.003}, {"m", 1.01, 0.0003}, unused}},
                 moe_layer_sizes},
    OperatorKind{"mla_bmm",
                 "products of each head's latent space: into it (pre) and back (post)",
                 mla_bmm_work,
                 2,
                 {{{"q_heads", 1.9, 0.03}, {"m", 1.3, 0.03}}},
                 mla_bmm_sizes},
    OperatorKind{"all_reduce",
                 "sum over GPUs, everywhere",
                 reduce_work,
                 3,
                 {{ranks_axis, {"algorithm", 1.1, none}, {"bytes", 1.5, 0.01}, unused}},
                 all_reduce_sizes},
    OperatorKind{"all_gather",
                 "collect the parts everywhere",
                 gather_work,
                 2,
                 {{ranks_axis, {"bytes", 1.5, 0.01}}},
                 collective_sizes},
    OperatorKind{"reduce_scatter",
                 "sum over GPUs, in parts",
                 gather_work,
                 2,
                 {{ranks_axis, {"bytes", 1.5, 0.01}}},
                 collective_sizes},
    OperatorKind{"all_to_all",
                 "a part from each GPU to each",
                 gather_work,
                 2,
                 {{ranks_axis, {"bytes", 1.5, 0.01}}},
                 collective_sizes},
    OperatorKind{"p2p", "copy to another GPU", copy_work, 1, {{{"bytes", 1.9, 0.03}}}, copy_sizes},
    OperatorKind{"h2d", "copy from the host", copy_work, 1, {{{"bytes", 1.9, 0.03}}}, copy_sizes},
    OperatorKind{"d2h", "copy to the host", copy_work, 1, {{{"bytes", 1.9, 0.03}}}, copy_sizes},
    OperatorKind{"d2d",
                 "copy within the GPU's memory",
                 copy_work,
                 2,
                 {{{"block_bytes", 1.9, 0.03}, {"bytes", 1.9, 0.03}}},
                 block_sizes},
    OperatorKind{"launch", "empty kernels", launch_work, 1, {{{"m", 1.9, 0.03}}}, launch_sizes},
    OperatorKind{"elementwise", "norms, activations, copies", copy_work, 1, {{{"bytes", 1.9, 0.03}}}, copy_sizes},
    OperatorKind{"ep_dispatch",
                 "tokens to their experts' GPUs",
                 exchange_work,
                 3,
                 {{{"top_k", 1.2, 0.03}, {"hidden", 1.1, 0.03}, {"m", 1.3, 0.03}, unused}},
                 exchange_sizes},
    OperatorKind{"ep_combine",
                 "tokens back from their experts' GPUs",
                 exchange_work,
                 3,
                 {{{"top_k", 1.2, 0.03}, {"hidden", 1.1, 0.03}, {"m", 1.3, 0.03}, unused}},
                 exchange_sizes},
    OperatorKind{"nvlink_dispatch",
                 "tokens to their experts' GPUs over NVLink, by TensorRT-LLM's kernels",
                 exchange_work,
                 2,
                 {{ranks_axis, {"m", 1.3, 0.03}}},
                 nvlink_sizes},
    OperatorKind{"nvlink_combine",
                 "tokens back over NVLink, likewise",
                 exchange_work,
                 2,
                 {{ranks_axis, {"m", 1.3, 0.03}}},
                 nvlink_sizes},
};

}  // namespace

KernelShape fill_tiles(KernelShape shape, std::int64_t tile_rows) {
  if (tile_rows == 0 || shape.m <= tile_rows) return shape;
  const std::int64_t over = shape.m % tile_rows;
  shape.padding = over == 0 ? 0 : tile_rows - over;
  shape.m += shape.padding;
  return shape;
}

NumberSizes number_sizes(std::string_view dtype, std::string_view kv_dtype) {
  NumberSizes sizes;
  if (const auto type = data_type(dtype); type && dtype != "auto")
    sizes = {.weight = facts(*type).bytes, .activation = facts(*type).activation_bytes};
  if (kv_dtype == "fp8") sizes.kv = 1;
  return sizes;
}

std::span<const OperatorKind> operator_kinds() { return kinds; }

const OperatorKind* operator_kind(std::string_view name) {
  const auto found = std::ranges::find(kinds, name, &OperatorKind::name);
  return found == kinds.end() ? nullptr : &*found;
}

}  // namespace servecast
