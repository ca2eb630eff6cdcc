#include "models/hw/llm/llm.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"
#include "models/hw/llm/attention_span.h"

namespace servecast {
namespace {

double norm_weights(const Llm& m) { return real(m.hidden) * (m.layer_norm_bias ? 2 : 1); }

LayerWeights latent_attention(const Llm& m) {
  const LatentAttention& a = *m.latent;
  const double query_width = real(m.heads * (a.nope_head_size + a.rope_head_size));
  const double query_input = real(a.query_rank > 0 ? a.query_rank : m.hidden);
  const double kv_up = real(a.kv_rank) * real(m.heads * (a.nope_head_size + a.value_head_size));
  const double output = real(m.heads * a.value_head_size) * real(m.hidden);
  const double down = real(m.hidden) * real(a.query_rank + a.kv_rank + a.rope_head_size);
  const double norms = real(a.query_rank + a.kv_rank);
  return {.split = query_input * query_width + kv_up + output, .replicated = down, .kept = norms, .output = output};
}

/// Projections to q, k, v and the output's gate, two gates per value head, the convolution, and the way back
/// (Qwen3NextGatedDeltaNet in HuggingFace's modeling_qwen3_next.py).
LayerWeights linear_attention(const Llm& m) {
  const LinearAttention& a = *m.linear;
  const double inputs = real(a.convolved_width() + a.value_width() + 2 * a.value_heads);
  const double output = real(m.hidden) * real(a.value_width());
  return {.split = real(m.hidden) * inputs + output,
          .kept = real(a.convolved_width() * a.convolution + 2 * a.value_heads + a.value_size),
          .output = output};
}

/// Queries from the compressed ones, one key for all heads, and a weight per head; whole on every GPU.
double indexer(const Llm& m) {
  const SparseAttention& a = *m.sparse;
  const std::int64_t from = m.latent && m.latent->query_rank > 0 ? m.latent->query_rank : m.hidden;
  return real(a.heads * a.head_size) * real(from) + real(m.hidden) * real(a.head_size + a.heads);
}

LayerWeights attention(const Llm& m, Attention kind) {
  if (kind == Attention::linear) return linear_attention(m);
  if (m.latent) {
    LayerWeights w = latent_attention(m);
    if (kind == Attention::sparse) w.replicated += indexer(m);
    return w;
  }
  const double query_width = real(m.heads * m.head_size);
  const double kv_width = 2 * real(m.kv_heads * m.head_size);
  const double gate = m.gated_attention ? query_width : 0;
  LayerWeights w{.split = real(m.hidden) * (2 * query_width + gate + kv_width),  // q, k, v and the output projection
                 .output = real(m.hidden) * query_width};
  if (m.qkv_bias) w.kept += query_width + kv_width;
  if (m.output_bias) w.kept += real(m.hidden);
  if (m.qk_norm) w.kept += 2 * real(m.head_size);
  if (m.attention_sinks) w.kept += real(m.heads);
  return w;
}

LayerWeights dense_mlp(const Llm& m, std::int64_t intermediate) {
  const double inputs = m.gated_mlp ? 2 : 1;
  LayerWeights w{.split = (inputs + 1) * real(m.hidden) * real(intermediate)};
  if (m.mlp_bias) w.kept = inputs * real(intermediate) + real(m.hidden);
  return w;
}

/// `experts` of them count: all, or those that one token meets.
LayerWeights expert_mlp(const Llm& m, std::int64_t experts) {
  const LayerWeights one = dense_mlp(m, m.experts->intermediate);
  LayerWeights w{.split = real(experts) * one.split, .kept = real(experts) * one.kept};
  w.routed = w.split;
  w.shared = dense_mlp(m, m.experts->shared_intermediate).split;
  w.split += w.shared;
  w.kept += real(m.hidden) * real(m.experts->count);  // router
  if (m.experts->router_bias) w.kept += real(m.experts->count);
  if (m.experts->shared_gate) w.kept += real(m.hidden);
  return w;
}

LayerWeights weights(const Llm& m, std::int64_t first, std::int64_t last, bool only_active) {
  LayerWeights sum;
  for (std::int64_t layer = first; layer < last; ++layer) {
    const LayerWeights a = attention(m, m.attention(layer));
    const LayerWeights b = m.has_experts(layer) ? expert_mlp(m, only_active ? m.experts->active : m.experts->count)
                                                : dense_mlp(m, m.intermediate);
    sum.split += a.split + b.split;
    sum.attention += a.split;
    sum.output += a.output;
    sum.replicated += a.replicated;
    sum.routed += b.routed;
    sum.shared += b.shared;
    sum.kept += a.kept + b.kept + real(m.norms_per_layer) * norm_weights(m);
  }
  return sum;
}

/// Of one token in one layer.
double attention_flop(const Llm& m, Attention kind, double context) {
  if (kind == Attention::linear) return linear_attention_flop_per_token(*m.linear);
  const double attended = attention_flop_per_pair(m) * attention_span(m, kind).seen(context);
  const double indexed = kind == Attention::sparse ? 2 * real(m.sparse->heads * m.sparse->head_size) * context : 0;
  return attended + indexed;
}

double lm_head(const Llm& m) { return embedding_parameters(m) + (m.lm_head_bias ? real(m.vocabulary) : 0); }

/// Everything outside the layers, stored once.
double outer_weights(const Llm& m) {
  const double head = m.tied_embeddings ? 0 : lm_head(m);
  const double vision = m.vision ? m.vision->parameters : 0;
  return embedding_parameters(m) + head + real(m.learned_positions * m.hidden) + norm_weights(m) + vision;
}

}  // namespace

bool Llm::has_experts(std::int64_t layer) const {
  if (!experts) return false;
  const std::int64_t number = experts->first_layer + layer;
  return number >= experts->first_dense_layers && (number + 1) % experts->layer_step == 0 &&
         std::ranges::find(experts->dense_layers, number) == experts->dense_layers.end();
}

Attention Llm::attention(std::int64_t layer) const {
  if (!attention_of.empty()) return attention_of[static_cast<std::size_t>(layer)];
  return sliding_window > 0 ? Attention::sliding : Attention::full;
}

std::int64_t Llm::expert_layers_before(std::int64_t end) const {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < end; ++layer) count += has_experts(layer) ? 1 : 0;
  return count;
}

std::int64_t Llm::bounded_layers() const {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) count += bounded(layer) ? 1 : 0;
  return count;
}

Llm Llm::only(std::int64_t first, std::int64_t last) const {
  Llm part = *this;
  part.layers = last - first;
  if (!attention_of.empty()) part.attention_of.assign(attention_of.begin() + first, attention_of.begin() + last);
  if (experts) part.experts->first_layer = experts->first_layer + first;
  return part;
}

LayerWeights layer_weights(const Llm& llm, std::int64_t first, std::int64_t last) {
  return weights(llm, first, last, false);
}

LayerWeights active_layer_weights(const Llm& llm, std::int64_t first, std::int64_t last) {
  return weights(llm, first, last, true);
}

double VisionEncoder::product_flop(double tokens) const {
  return 2 * tokens * (real(patches_per_token) * patch_parameters + token_parameters);
}

double VisionEncoder::attention_flop(double tokens) const {
  const double patches = tokens * real(patches_per_token);
  const double attended = real(whole_layers) * patches +
                          real(layers - whole_layers) * std::min(patches, real(window_patches));
  return 4 * real(hidden) * patches * attended;
}

double embedding_parameters(const Llm& llm) { return real(llm.vocabulary) * real(llm.hidden); }

double parameters(const Llm& llm) {
  const LayerWeights w = weights(llm, 0, llm.layers, false);
  return w.linear() + w.kept + outer_weights(llm);
}

double active_parameters(const Llm& llm) {
  const LayerWeights w = weights(llm, 0, llm.layers, true);
  return w.linear() + w.kept + outer_weights(llm);
}

double weight_bytes(const Llm& llm, const WeightTypes& types) {
  const LayerWeights w = weights(llm, 0, llm.layers, false);
  return w.linear_bytes(types) + (w.kept + outer_weights(llm)) * bf16_bytes;
}

double kv_bytes_per_token_and_layer(const Llm& llm, DataType kv) {
  const std::int64_t numbers =
      llm.latent ? llm.latent->kv_rank + llm.latent->rope_head_size : 2 * llm.kv_heads * llm.head_size;
  return real(numbers) * facts(kv).bytes + (llm.sparse ? index_key_bytes(*llm.sparse) : 0);
}

double index_key_bytes(const SparseAttention& attention) {
  constexpr double scaled_numbers = 128;
  constexpr double scale_bytes = 4;
  return real(attention.head_size) * (1 + scale_bytes / scaled_numbers);
}

double kv_bytes_per_token(const Llm& llm, DataType kv) {
  const auto linear = std::ranges::count(llm.attention_of, Attention::linear);
  return real(llm.layers - linear) * kv_bytes_per_token_and_layer(llm, kv);
}

double linear_state_bytes(const LinearAttention& a) {
  return real(a.value_heads * a.key_size * a.value_size) * a.state_bytes +
         real(a.convolved_width() * (a.convolution - 1)) * bf16_bytes;
}

std::int64_t bounded_tokens(const Llm& llm, DataType kv) {
  if (!llm.linear) return std::max(llm.sliding_window, llm.attention_chunk);
  return static_cast<std::int64_t>(
      std::ceil(linear_state_bytes(*llm.linear) / kv_bytes_per_token_and_layer(llm, kv)));
}

double attention_flop_per_pair(const Llm& llm) { return 2 * real(llm.heads * (llm.query_size() + llm.value_size())); }

// The state decays, gives what it holds of the key, takes what the value has beyond that, and answers the query: a
// product and a sum for each of its elements, each time (the delta rule, equation 10 of the paper).
double linear_attention_flop_per_token(const LinearAttention& a) {
  return 8 * real(a.value_heads * a.key_size * a.value_size);
}

double decode_flop_per_pair(const Llm& llm) {
  if (!llm.latent) return attention_flop_per_pair(llm);
  return 2 * static_cast<double>(llm.heads * (2 * llm.latent->kv_rank + llm.latent->rope_head_size));
}

double flop_per_token(const Llm& llm, double context) {
  const LayerWeights active = weights(llm, 0, llm.layers, true);
  const double router = real(llm.expert_layers() * llm.hidden) * (llm.experts ? real(llm.experts->count) : 0);
  double attention = 0;
  for (std::int64_t layer = 0; layer < llm.layers; ++layer)
    attention += attention_flop(llm, llm.attention(layer), context);
  return 2 * (active.linear() + router + embedding_parameters(llm)) + attention;
}

}  // namespace servecast
