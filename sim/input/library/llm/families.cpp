#include "sim/input/library/llm/families.h"

#include <array>
#include <set>

#include "models/base/names.h"

namespace servecast {
namespace {

const std::map<std::string, Attention>& attention_names() {
  static const std::map<std::string, Attention> names{{"chunked_attention", Attention::chunked},
                                                      {"full_attention", Attention::full},
                                                      {"linear_attention", Attention::linear},
                                                      {"sliding_attention", Attention::sliding}};
  return names;
}

Attention attention_named(LlmConfig& c, const std::string& word) {
  const auto found = attention_names().find(word);
  if (found != attention_names().end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [name, kind] : attention_names()) known.push_back(name);
  c.fail("layer_types", unknown_name("kind of layer", word, known));
  return Attention::full;
}

std::array<const LlmFamilies*, 5> all_families() {
  return {&dense_families(), &expert_families(), &latent_families(), &hybrid_families(), &vision_families()};
}

}  // namespace

Llm decoder(LlmConfig& c, const Llm& missing) {
  const auto or_missing = [&](const std::string& key, std::int64_t value) {
    return value > 0 ? c.count(key, value) : c.count(key);
  };
  Llm m;
  m.layers = or_missing("num_hidden_layers", missing.layers);
  m.hidden = or_missing("hidden_size", missing.hidden);
  m.heads = or_missing("num_attention_heads", missing.heads);
  m.kv_heads = c.count("num_key_value_heads", missing.kv_heads > 0 ? missing.kv_heads : m.heads);
  const std::int64_t share = m.heads > 0 ? m.hidden / m.heads : 0;
  m.head_size = c.count("head_dim", missing.head_size > 0 ? missing.head_size : share);
  m.vocabulary = or_missing("vocab_size", missing.vocabulary);
  m.tied_embeddings = c.flag("tie_word_embeddings", missing.tied_embeddings);
  return m;
}

Llm dense_decoder(LlmConfig& c, const Llm& missing) {
  Llm m = decoder(c, missing);
  m.intermediate =
      missing.intermediate > 0 ? c.count("intermediate_size", missing.intermediate) : c.count("intermediate_size");
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.mlp_bias = c.flag("mlp_bias", false);
  return m;
}

void read_attention(LlmConfig& c, Llm& m, Attention other, std::int64_t full_step) {
  m.attention_of.clear();
  for (const std::string& word : c.words("layer_types")) m.attention_of.push_back(attention_named(c, word));
  if (m.attention_of.empty())
    for (std::int64_t layer = 0; layer < m.layers; ++layer)
      m.attention_of.push_back((layer + 1) % full_step == 0 ? Attention::full : other);
  if (static_cast<std::int64_t>(m.attention_of.size()) == m.layers) return;
  c.fail("layer_types", "'layer_types' has " + std::to_string(m.attention_of.size()) + " entries for " +
                            std::to_string(m.layers) + " layers");
  m.attention_of.clear();
}

LlmFamily llm_family(const std::string& model_type) {
  for (const LlmFamilies* families : all_families())
    if (const auto found = families->find(model_type); found != families->end()) return found->second;
  return nullptr;
}

std::vector<std::string> llm_family_names() {
  std::set<std::string> names;
  for (const LlmFamilies* families : all_families())
    for (const auto& [name, family] : *families) names.insert(name);
  return {names.begin(), names.end()};
}

std::vector<std::string> llm_text_families() {
  std::vector<std::string> names = llm_family_names();
  std::erase_if(names, [](const std::string& name) { return vision_families().contains(name); });
  return names;
}

void read_qwen_experts(LlmConfig& c, Llm& m) {
  m.experts = {.count = c.count("num_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("moe_intermediate_size"),
               .shared_intermediate = c.count("shared_expert_intermediate_size", 0),
               .layer_step = c.count("decoder_sparse_step", 1),
               .dense_layers = c.numbers("mlp_only_layers", m.layers)};
  m.experts->shared_gate = m.experts->shared_intermediate > 0;
  if (m.intermediate == 0 && m.expert_layers() < m.layers) m.intermediate = c.count("intermediate_size");
}

}  // namespace servecast
