#include "calibrate/step/decoder_shape.h"

#include <array>

namespace servecast {
namespace {

struct Obstacle {
  const char* what;
  bool (*there)(const Llm&);
};
constexpr std::array obstacles{
    Obstacle{"has experts", [](const Llm& m) { return m.experts.has_value(); }},
    Obstacle{"has latent attention", [](const Llm& m) { return m.latent.has_value(); }},
    Obstacle{"has layers with a sliding window", [](const Llm& m) { return m.sliding_window > 0; }},
    Obstacle{"has layers that attend within chunks", [](const Llm& m) { return m.attention_chunk > 0; }},
    Obstacle{"has a plain MLP of two matrices", [](const Llm& m) { return !m.gated_mlp; }},
    Obstacle{"has LayerNorm", [](const Llm& m) { return m.layer_norm_bias || m.norms_per_layer != 2; }},
    Obstacle{"has norms of queries and keys", [](const Llm& m) { return m.qk_norm; }},
    Obstacle{"has biases", [](const Llm& m) { return m.qkv_bias || m.output_bias || m.mlp_bias || m.lm_head_bias; }},
    Obstacle{"has attention sinks", [](const Llm& m) { return m.attention_sinks; }},
    Obstacle{"has a table of positions", [](const Llm& m) { return m.learned_positions > 0; }},
    Obstacle{"has heads that are neither 64, 128 nor 256 wide",
             [](const Llm& m) { return m.head_size != 64 && m.head_size != 128 && m.head_size != 256; }}};

constexpr std::int64_t depth_step = 64;  // products take multiples of it

}  // namespace

std::optional<std::string> cannot_run(const Llm& m, std::int64_t tp) {
  for (const Obstacle& obstacle : obstacles)
    if (obstacle.there(m)) return m.name + " " + obstacle.what + ", for which there is no step of our kernels";
  for (const std::int64_t count : {m.heads, m.kv_heads, m.intermediate, m.vocabulary})
    if (count % tp != 0)
      return m.name + " cannot be split over " + std::to_string(tp) + " GPUs: " + std::to_string(count) +
             " is no multiple";
  if (m.hidden % depth_step != 0 || m.intermediate / tp % depth_step != 0 || m.vocabulary / tp % 8 != 0)
    return m.name + " over " + std::to_string(tp) + " GPUs has products whose sizes are no multiples of 64";
  return std::nullopt;
}

Llm shard_of(const Llm& llm, std::int64_t tp, std::int64_t layers) {
  Llm shard = llm;
  shard.layers = layers;
  shard.heads /= tp;
  shard.kv_heads /= tp;
  shard.intermediate /= tp;
  shard.vocabulary /= tp;
  return shard;
}

DecoderShape decoder_shape(const Llm& shard) {
  return {.layers = static_cast<int>(shard.layers),
          .hidden = static_cast<int>(shard.hidden),
          .q_heads = static_cast<int>(shard.heads),
          .kv_heads = static_cast<int>(shard.kv_heads),
          .head_dim = static_cast<int>(shard.head_size),
          .intermediate = static_cast<int>(shard.intermediate),
          .vocabulary = static_cast<int>(shard.vocabulary)};
}

}  // namespace servecast
