#include "models/hw/roofline/layer_model.h"

#include <algorithm>
#include <iterator>

#include "models/base/counts.h"
#include "models/hw/latency/cuda_graph.h"
#include "models/hw/latency/fullest_gpu.h"

namespace servecast {
namespace {

// One product compresses queries, keys and values (fused_qkv_a_proj of vLLM and SGLang, kv_a_proj_with_mqa of
// TensorRT-LLM): scripts/tables/latent-blocks holds the block against its measured whole.
std::vector<Linear> latent_attention(const Llm& m, const WeightTypes& types, std::int64_t tp) {
  const DataType weights = types.attention;
  const LatentAttention& a = *m.latent;
  const std::int64_t heads = divided_up(m.heads, tp);
  const std::int64_t query_width = heads * m.query_size();
  const std::int64_t latent = a.kv_rank + a.rope_head_size;
  std::vector<Linear> all;
  if (a.query_rank > 0)
    all = {{{a.query_rank + latent, m.hidden}, weights}, {{query_width, a.query_rank}, weights}};
  else
    all = {{{query_width, m.hidden}, weights}, {{latent, m.hidden}, weights, false}};
  all.push_back({{heads * (a.nope_head_size + a.value_head_size), a.kv_rank}, weights, false});
  all.push_back({{m.hidden, heads * a.value_head_size}, types.output});
  if (m.sparse) {  // the indexer
    all.push_back({{m.sparse->heads * m.sparse->head_size, a.query_rank > 0 ? a.query_rank : m.hidden}, weights});
    all.push_back({{m.sparse->head_size + m.sparse->heads, m.hidden}, weights, false});
  }
  return all;
}

std::vector<Linear> linear_attention(const Llm& m, const WeightTypes& types, std::int64_t tp) {
  const LinearAttention& a = *m.linear;
  return {{{divided_up(a.convolved_width() + a.value_width(), tp), m.hidden}, types.attention},
          {{divided_up(2 * a.value_heads, tp), m.hidden}, types.attention, false},
          {{m.hidden, divided_up(a.value_width(), tp)}, types.output}};
}

void add_mlp(std::vector<Linear>& all, const Llm& m, DataType weights, std::int64_t width) {
  if (width == 0) return;
  all.push_back({{(m.gated_mlp ? 2 : 1) * width, m.hidden}, weights});
  all.push_back({{m.hidden, width}, weights});
}

/// Kernels of a layer that are neither products nor attention: two norms, rotary embedding, cache write, activation
/// and one copy; query and key norms where there are any.
double small_kernels_s(const EngineTerms& engine, const Llm& llm) {
  return real(engine.small_kernels_per_layer + more_norms(llm)) * engine.small_kernel_s;
}

}  // namespace

std::vector<Linear> attention_linears(const Llm& m, const WeightTypes& types, std::int64_t tp,
                                      const LayerKind& kind) {
  if (kind.linear_attention) return linear_attention(m, types, tp);
  if (m.latent) return latent_attention(m, types, tp);
  const std::int64_t query_width = divided_up(m.heads, tp) * m.head_size;
  const std::int64_t inputs = (m.gated_attention ? 2 : 1) * query_width + 2 * kv_heads_per_gpu(m, tp) * m.head_size;
  return {{{inputs, m.hidden}, types.attention}, {{m.hidden, query_width}, types.output}};
}

std::vector<Linear> absorbed_linears(const Llm& m, const WeightTypes& types, std::int64_t tp, const LayerKind& kind) {
  std::vector<Linear> all = attention_linears(m, types, tp, kind);
  std::erase_if(all, [&](const Linear& linear) { return linear.shape.depth == m.latent.value().kv_rank; });
  return all;
}

std::vector<Linear> mlp_linears(const Llm& m, const WeightTypes& weights, std::int64_t tp, bool expert_layer) {
  std::vector<Linear> all;
  if (expert_layer) {
    all.push_back({{m.experts->count, m.hidden}, DataType::bf16, false});  // router
    add_mlp(all, m, weights.mlp, divided_up(m.experts->shared_intermediate, tp));
  } else {
    add_mlp(all, m, weights.mlp, divided_up(m.intermediate, tp));
  }
  return all;
}

std::vector<Linear> linear_layers(const Llm& m, const WeightTypes& weights, std::int64_t tp, const LayerKind& kind) {
  std::vector<Linear> all = attention_linears(m, weights, tp, kind);
  std::ranges::copy(mlp_linears(m, weights, tp, kind.experts), std::back_inserter(all));
  return all;
}

double elementwise_bytes_per_token(const Llm& m, std::int64_t tp, const LayerKind& kind) {
  const double mlp = kind.experts ? real(m.experts->active * m.experts->intermediate + m.experts->shared_intermediate)
                                  : real(m.intermediate);
  const double outside = 12 * real(m.hidden) + (m.gated_mlp ? 6 : 4) * mlp / real(tp);
  if (kind.linear_attention)
    return outside + real(4 * m.linear->convolved_width() + 6 * m.linear->value_width()) / real(tp);
  const double queries = real(m.heads * m.query_size()) / real(tp);
  const double keys =
      m.latent ? real(m.latent->kv_rank + m.latent->rope_head_size) : real(kv_heads_per_gpu(m, tp) * m.head_size);
  return outside + 4 * (queries + 2 * keys) + 4 * keys;
}

LayerModel::LayerModel(const RooflineInputs& in, const LayerKind& kind)
    : llm_(in.llm),
      kernels_(in.gpu.kernels.value()),
      weights_(in.weights),
      shape_(in.shape),
      rank_loads_(in.rank_loads),
      node_ranks_(std::min(in.shape.tensor_parallel, in.node_gpus)),
      expert_layer_(kind.experts),
      graph_tokens_(in.engine.cuda_graph_max_tokens),
      all_reduce_wait_s_(all_reduce_wait_s(in.engine, in.gpu, in.shape.tensor_parallel)),
      small_kernels_s_(small_kernels_s(in.engine, in.llm)),
      linears_(linear_layers(in.llm, in.weights, in.shape.tensor_parallel, kind)),
      elementwise_bytes_(elementwise_bytes_per_token(in.llm, in.shape.tensor_parallel, kind)) {}

std::int64_t LayerModel::padded(std::int64_t tokens) const { return graph_rows(tokens, graph_tokens_); }

StageTime LayerModel::all_reduce(std::int64_t tokens) const {
  const double bytes = real(padded(tokens)) * real(llm_.hidden) * facts(DataType::bf16).bytes;
  StageTime time = all_reduce_time(kernels_.all_reduce, node_ranks_, bytes, tokens <= graph_tokens_);
  time.seconds += all_reduce_wait_s_;
  return time;
}

StageTime LayerModel::experts(std::int64_t tokens) const {
  const auto& own = kernels_.moe.of(weights_.experts);
  const GemmFit& fit = own ? *own : kernels_.moe.bf16.value();
  if (shape_.expert_parallel == 1) return experts_time(fit, weights_.experts, llm_, shape_.tensor_parallel, tokens);
  return fullest_gpu_time(fit, weights_.experts, llm_, shape_, {.tokens = tokens, .load = rank_loads_.at(tokens)});
}

StageTime LayerModel::operator()(std::int64_t tokens) const {
  const std::int64_t rows = padded(tokens);
  StageTime sum;
  for (const Linear& linear : linears_) {
    StageTime one = gemm_time(kernels_.gemm.of(linear.weights).value(), linear.weights, linear.shape, rows);
    one.extrapolated &= linear.counts_range;
    sum += one;
  }
  if (expert_layer_) sum += experts(tokens);
  sum += 2 * all_reduce(tokens);
  sum.seconds += small_kernels_s_ + real(rows) * elementwise_bytes_ / kernels_.elementwise_bytes_per_s;
  return sum;
}

}  // namespace servecast
