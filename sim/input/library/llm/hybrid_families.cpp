#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

/// Three layers of gated DeltaNet for each of full attention, whose outputs are gated.
Llm qwen3_next(LlmConfig& c) {
  Llm m = decoder(c, {.head_size = 256});
  m.intermediate = c.count("intermediate_size", 0);
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.qk_norm = true;
  m.gated_attention = c.flag("attn_output_gate", true);
  read_attention(c, m, Attention::linear, c.count("full_attention_interval", 4));
  m.linear = {.key_heads = c.count("linear_num_key_heads", 16),
              .value_heads = c.count("linear_num_value_heads", 32),
              .key_size = c.count("linear_key_head_dim", 128),
              .value_size = c.count("linear_value_head_dim", 128),
              .convolution = c.count("linear_conv_kernel_dim", 4),
              .state_bytes = c.text("mamba_ssm_dtype", "bfloat16") == "float32" ? 4.0 : 2.0};
  return m;
}

Llm qwen3_next_moe(LlmConfig& c) {
  Llm m = qwen3_next(c);
  read_qwen_experts(c, m);
  return m;
}

}  // namespace

const LlmFamilies& hybrid_families() {
  static const LlmFamilies families{
      {"qwen3_5_moe_text", qwen3_next_moe}, {"qwen3_5_text", qwen3_next}, {"qwen3_next", qwen3_next_moe}};
  return families;
}

}  // namespace servecast
