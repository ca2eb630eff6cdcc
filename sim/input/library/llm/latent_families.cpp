#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

Llm deepseek_v2(LlmConfig& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.latent = {.query_rank = c.count("q_lora_rank", 0),
              .kv_rank = c.count("kv_lora_rank"),
              .rope_head_size = c.count("qk_rope_head_dim"),
              .nope_head_size = c.count("qk_nope_head_dim"),
              .value_head_size = c.count("v_head_dim")};
  const std::int64_t expert_width = c.count("moe_intermediate_size");
  m.experts = {.count = c.count("n_routed_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = expert_width,
               .shared_intermediate = expert_width * c.count("n_shared_experts", 0),
               .first_dense_layers = c.count("first_k_dense_replace", 0)};
  if (c.count("moe_layer_freq", 1) != 1) c.fail("moe_layer_freq", "'moe_layer_freq' other than 1 is not modelled");
  return m;
}

Llm deepseek_v3(LlmConfig& c) {
  Llm m = deepseek_v2(c);
  m.experts->even_loads = true;
  return m;
}

Llm deepseek_v32(LlmConfig& c) {
  Llm m = deepseek_v3(c);
  m.sparse = {
      .heads = c.count("index_n_heads"), .head_size = c.count("index_head_dim"), .chosen = c.count("index_topk")};
  m.attention_of.assign(static_cast<std::size_t>(m.layers), Attention::sparse);
  return m;
}

}  // namespace

const LlmFamilies& latent_families() {
  static const LlmFamilies families{{"deepseek_v2", deepseek_v2},
                                    {"deepseek_v3", deepseek_v3},
                                    {"deepseek_v32", deepseek_v32},
                                    {"kimi_k2", deepseek_v3}};
  return families;
}

}  // namespace servecast
