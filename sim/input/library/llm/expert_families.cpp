#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

Llm qwen2_moe(LlmConfig& c) {
  Llm m = dense_families().at("qwen2")(c);
  read_qwen_experts(c, m);
  return m;
}

Llm qwen3_moe(LlmConfig& c) {
  Llm m = dense_families().at("qwen3")(c);
  read_qwen_experts(c, m);
  return m;
}

Llm mixtral(LlmConfig& c) {
  Llm m = decoder(c);
  m.sliding_window = c.count("sliding_window", 0);
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size")};
  return m;
}

Llm gpt_oss(LlmConfig& c) {
  Llm m = decoder(c);
  m.qkv_bias = m.output_bias = c.flag("attention_bias", true);
  m.mlp_bias = true;
  m.attention_sinks = true;
  m.sliding_window = c.count("sliding_window", 128);
  read_attention(c, m, Attention::sliding, 2);
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size"),
               .router_bias = true};
  return m;
}

/// Every layer has experts; queries and keys are normed over all heads.
Llm minimax_m2(LlmConfig& c) {
  Llm m = decoder(c);
  m.qk_norm = c.flag("use_qk_norm", false);
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size"),
               .shared_intermediate = c.count("shared_intermediate_size", 0),
               .router_bias = c.flag("use_routing_bias", false)};
  m.experts->even_loads = m.experts->router_bias;
  return m;
}

/// GLM-4.5 and later.
Llm glm4_moe(LlmConfig& c) {
  Llm m = dense_families().at("glm")(c);
  m.qk_norm = c.flag("use_qk_norm", false);
  const std::int64_t width = c.count("moe_intermediate_size");
  m.experts = {.count = c.count("n_routed_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = width,
               .shared_intermediate = width * c.count("n_shared_experts", 0),
               .first_dense_layers = c.count("first_k_dense_replace", 0),
               .router_bias = true,
               .even_loads = true};
  return m;
}

/// Three layers attend within chunks for each full one, without chunks (null) all are full. Queries and keys are
/// normed without weights.
Llm llama4(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size_mlp");
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.attention_chunk = c.names("attention_chunk_size") ? c.count("attention_chunk_size", 0) : 8192;
  read_attention(c, m, m.attention_chunk > 0 ? Attention::chunked : Attention::full, 4);
  const std::int64_t width = c.count("intermediate_size");
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = width,
               .shared_intermediate = width,
               .layer_step = c.count("interleave_moe_layer_step", 1)};
  return m;
}

}  // namespace

const LlmFamilies& expert_families() {
  static const LlmFamilies families{
      {"glm4_moe", glm4_moe}, {"gpt_oss", gpt_oss},     {"llama4_text", llama4},  {"minimax_m2", minimax_m2},
      {"mixtral", mixtral},   {"qwen2_moe", qwen2_moe}, {"qwen3_moe", qwen3_moe}, {"qwen3_vl_moe_text", qwen3_moe}};
  return families;
}

}  // namespace servecast
