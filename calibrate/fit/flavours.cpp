// Which rows are fitted, and what is known of each by itself.
#include <algorithm>
#include <string_view>

#include "calibrate/fit/cells.h"
#include "models/hw/profile/kernel_times.h"

namespace servecast {
namespace {

constexpr double cache_bytes = 100e6;  // twice the 50 MB L2 of an H100
constexpr std::int64_t most_expert_slices = 8;
constexpr std::int64_t most_expert_parallel = 64;  // beyond, DeepEP's tables go on
constexpr double least_moe_share = 2.0 / 3;        // some experts have two matrices, and uneven routing touches fewer

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::ranges::find(words, word) != words.end();
}
bool takes_dtype(std::string_view op) {
  return op == "gemm" || op == "mla_bmm" || of_experts(op) || op.starts_with("ep_") || op.starts_with("nvlink_");
}
bool is_collective(std::string_view op) {
  return op.starts_with("all_") || op == "reduce_scatter" || op.starts_with("ep_") || op.starts_with("nvlink_") ||
         op == "p2p";
}

/// vLLM 0.19's experts in MXFP4 take as long in eight groups as in one: each computed every expert.
bool ignores_groups(const Sample& s) { return s.kernel == "vllm_mxfp4_moe" && s.shape.expert_parallel > 1; }

}  // namespace

Flavour flavour_of(const Sample& s) {
  return {.op = s.op,
          .dtype = takes_dtype(s.op) || s.mode == "module" ? s.dtype : "",
          .kv_dtype = s.kv_dtype,
          .mode = s.mode,
          .head_dim = s.shape.head_dim,
          .layer = s.op == "moe_layer" ? ExpertLayer{.hidden = s.shape.k,
                                                     .width = s.shape.n,
                                                     .experts = s.shape.experts,
                                                     .top_k = s.shape.top_k}
                                       : ExpertLayer{}};
}

bool is_fitted(const Sample& s) {
  if (s.mode.starts_with("module") || s.dtype == "fp8_static") return false;
  if (s.op == "elementwise") return s.mode != "scale_matrix" && s.mode != "compute_scale";
  if (s.op.starts_with("ep_")) return s.mode == "normal" || s.mode == "ll";
  if (s.op == "moe")
    return !ignores_groups(s) && is_one_of(s.mode, {"balanced", trained_routing, "wide_prefill", "wide_decode"}) &&
           !s.kernel.ends_with("_nongated") && s.shape.tensor_parallel <= most_expert_slices &&
           (s.shape.expert_parallel <= most_expert_parallel || s.mode.starts_with("wide"));
  if (s.op != "prefill_attention" && s.op != "decode_attention") return true;
  const std::int64_t head = s.shape.head_dim;
  const bool wanted_head = head == 64 || head == 128 || (s.kv_dtype != "fp8" && head == 256);
  return wanted_head && s.shape.window == 0 && (s.op == "decode_attention" || s.shape.tokens == s.shape.context);
}

std::string layer_mode(const Sample& s, bool even_loads) {
  if (s.dtype == "int4") return "";
  if (s.mode.starts_with("wide")) return s.mode;
  const bool many = s.shape.experts >= fine_grained_experts;
  const bool groups = s.shape.expert_parallel > 1;
  if (s.mode == trained_routing && many && groups)
    return even_loads || s.shape.m < trained_groups_from_tokens ? "" : std::string(trained_groups);
  return s.mode == (many && !groups ? trained_routing : "balanced") ? s.mode : "";
}

Sample of_layer(Sample experts) {
  experts.op = "moe_layer";
  return experts;
}

bool is_held_out(const Flavour& f, const KernelShape& s) {
  std::string text = f.op + "|" + f.dtype + "|" + f.kv_dtype + "|" + f.mode;
  for (const std::int64_t size :
       {s.m, s.n, s.k, s.sequences, s.tokens, s.context, s.q_heads, s.kv_heads, s.head_dim, s.window, s.experts,
        s.top_k, s.tensor_parallel, s.expert_parallel, s.bytes, s.ranks})
    text += "|" + std::to_string(size);
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return (hash >> 32) % 5 == 0;
}

bool beats_data_sheet(const Sample& s, const Gpu& gpu) {
  if (is_collective(s.op) || s.mode == "module") return false;  // a module's work is not modelled
  const KernelWork work = operator_kind(s.op)->work(s.shape, number_sizes(s.dtype, s.kv_dtype));
  const double fastest = peak_flop_per_s(gpu, s.dtype);
  if (of_experts(s.op)) return fastest > 0 && least_moe_share * work.flop / fastest > s.median_s;
  if (fastest > 0 && work.flop / fastest > s.median_s) return true;
  return work.bytes > cache_bytes && work.bytes / gpu.hbm_bytes_per_s > s.median_s;
}

double least_s(const Sample& s, const Gpu& gpu) {
  const KernelWork work = operator_kind(s.op)->work(s.shape, number_sizes(s.dtype, s.kv_dtype));
  const double flop_per_s = peak_flop_per_s(gpu, s.dtype);
  return std::max(work.bytes / gpu.hbm_bytes_per_s, flop_per_s > 0 ? work.flop / flop_per_s : 0);
}

}  // namespace servecast
