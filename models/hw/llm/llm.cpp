#include "models/hw/llm/llm.h"

#include <algorithm>

#include "models/base/counts.h"

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
  return {.split = query_input * query_width + kv_up + output, .replicated = down, .kept = norms};
}

LayerWeights attention(const Llm& m) {
  if (m.latent) return latent_attention(m);
  const double query_width = real(m.heads * m.head_size);
  const double kv_width = 2 * real(m.kv_heads * m.head_size);
  LayerWeights w{.split = real(m.hidden) * (2 * query_width + kv_width)};  // q, k, v and the output projection
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
  return w;
}

LayerWeights weights(const Llm& m, std::int64_t first, std::int64_t last, bool only_active) {
  LayerWeights sum;
  for (std::int64_t layer = first; layer < last; ++layer) {
    const LayerWeights a = attention(m);
    const LayerWeights b = m.has_experts(layer) ? expert_mlp(m, only_active ? m.experts->active : m.experts->count)
                                                : dense_mlp(m, m.intermediate);
    sum.split += a.split + b.split;
    sum.attention += a.split;
    sum.replicated += a.replicated;
    sum.routed += b.routed;
    sum.shared += b.shared;
    sum.kept += a.kept + b.kept + real(m.norms_per_layer) * norm_weights(m);
  }
  return sum;
}

double lm_head(const Llm& m) { return embedding_parameters(m) + (m.lm_head_bias ? real(m.vocabulary) : 0); }

/// Everything outside the layers, stored once.
double outer_weights(const Llm& m) {
  const double head = m.tied_embeddings ? 0 : lm_head(m);
  return embedding_parameters(m) + head + real(m.learned_positions * m.hidden) + norm_weights(m);
}

}  // namespace

bool Llm::has_experts(std::int64_t layer) const {
  return experts && layer >= experts->first_dense_layers && (layer + 1) % experts->layer_step == 0;
}

bool Llm::windowed(std::int64_t layer) const {
  if (sliding_window == 0) return false;
  return full_attention_step == 0 || (layer + 1) % full_attention_step != 0;
}

std::int64_t Llm::expert_layers_before(std::int64_t end) const {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < end; ++layer) count += has_experts(layer) ? 1 : 0;
  return count;
}

std::int64_t Llm::windowed_layers() const {
  std::int64_t count = 0;
  for (std::int64_t layer = 0; layer < layers; ++layer) count += windowed(layer) ? 1 : 0;
  return count;
}

LayerWeights layer_weights(const Llm& llm, std::int64_t first, std::int64_t last) {
  return weights(llm, first, last, false);
}

LayerWeights active_layer_weights(const Llm& llm, std::int64_t first, std::int64_t last) {
  return weights(llm, first, last, true);
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
  return real(numbers) * facts(kv).bytes;
}

double kv_bytes_per_token(const Llm& llm, DataType kv) {
  return real(llm.layers) * kv_bytes_per_token_and_layer(llm, kv);
}

double attention_flop_per_pair(const Llm& llm) { return 2 * real(llm.heads * (llm.query_size() + llm.value_size())); }

double decode_flop_per_pair(const Llm& llm) {
  if (!llm.latent) return attention_flop_per_pair(llm);
  return 2 * static_cast<double>(llm.heads * (2 * llm.latent->kv_rank + llm.latent->rope_head_size));
}

double flop_per_token(const Llm& llm, double context) {
  const LayerWeights active = weights(llm, 0, llm.layers, true);
  const double router = real(llm.expert_layers() * llm.hidden) * (llm.experts ? real(llm.experts->count) : 0);
  const double windowed = real(llm.windowed_layers());
  const double seen =
      (real(llm.layers) - windowed) * context + windowed * std::min(context, real(llm.sliding_window));
  return 2 * (active.linear() + router + embedding_parameters(llm)) + attention_flop_per_pair(llm) * seen;
}

}  // namespace servecast
