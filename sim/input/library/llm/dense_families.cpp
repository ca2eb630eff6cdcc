#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

Llm llama(LlmConfig& c) { return dense_decoder(c); }

Llm mistral(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  // HuggingFace's MistralConfig: 4096 where the key is missing, none where it is null.
  m.sliding_window = c.names("sliding_window") ? c.count("sliding_window", 0) : 4096;
  return m;
}

Llm qwen2(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.qkv_bias = true;
  if (c.flag("use_sliding_window", false))
    c.fail("use_sliding_window", "a sliding window on the upper layers only is not modelled; must be false");
  return m;
}

Llm qwen3(LlmConfig& c) {
  Llm m = qwen2(c);
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.qk_norm = true;
  return m;
}

/// Gemma 2: norms before and behind attention and MLP; sliding and full layers in turn.
Llm gemma2(LlmConfig& c) {
  Llm m = dense_decoder(c, {.head_size = 256, .tied_embeddings = true});
  m.norms_per_layer = 4;
  m.sliding_window = c.count("sliding_window", 4096);
  read_attention(c, m, Attention::sliding, 2);
  return m;
}

/// Gemma 3: five sliding layers for each full one. Configs of its multimodal models leave out most defaults.
Llm gemma3(LlmConfig& c) {
  Llm m = dense_decoder(c, {.layers = 26,
                            .hidden = 2304,
                            .heads = 8,
                            .kv_heads = 4,
                            .head_size = 256,
                            .vocabulary = 262208,
                            .intermediate = 9216,
                            .tied_embeddings = true});
  m.norms_per_layer = 4;
  m.qk_norm = true;
  m.sliding_window = c.count("sliding_window", 4096);
  read_attention(c, m, Attention::sliding, c.count("sliding_window_pattern", 6));
  return m;
}

/// Only queries, keys and values have biases.
Llm glm(LlmConfig& c) {
  Llm m = dense_decoder(c);
  m.output_bias = false;
  return m;
}

Llm glm4(LlmConfig& c) {
  Llm m = glm(c);
  m.norms_per_layer = 4;
  return m;
}

Llm opt(LlmConfig& c) {
  constexpr std::int64_t position_offset = 2;  // OPT's table has two rows more than positions
  Llm m = decoder(c);
  m.intermediate = c.count("ffn_dim");
  m.learned_positions = c.count("max_position_embeddings") + position_offset;
  m.tied_embeddings = c.flag("tie_word_embeddings", true);
  m.gated_mlp = false;
  m.layer_norm_bias = true;
  m.qkv_bias = m.output_bias = m.mlp_bias = c.flag("enable_bias", true);
  if (c.count("word_embed_proj_dim", m.hidden) != m.hidden)
    c.fail("word_embed_proj_dim", "embeddings narrower than 'hidden_size' are not modelled; must be equal");
  return m;
}

Llm phi(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.gated_mlp = false;
  m.layer_norm_bias = true;
  m.norms_per_layer = 1;
  m.qkv_bias = m.output_bias = m.mlp_bias = m.lm_head_bias = true;
  if (c.flag("qk_layernorm", false)) c.fail("qk_layernorm", "is not modelled for phi; must be false");
  return m;
}

/// Phi-3 and Phi-4.
Llm phi3(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.sliding_window = c.count("sliding_window", 0);
  return m;
}

}  // namespace

const LlmFamilies& dense_families() {
  static const LlmFamilies families{{"gemma2", gemma2},
                                    {"gemma3_text", gemma3},
                                    {"glm", glm},
                                    {"glm4", glm4},
                                    {"llama", llama},
                                    {"mistral", mistral},
                                    {"opt", opt},
                                    {"phi", phi},
                                    {"phi3", phi3},
                                    {"qwen2", qwen2},
                                    {"qwen2_5_vl_text", qwen2},
                                    {"qwen2_vl_text", qwen2},
                                    {"qwen3", qwen3},
                                    {"qwen3_vl_text", qwen3}};
  return families;
}

}  // namespace servecast
