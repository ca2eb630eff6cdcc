#include "sim/input/library/llm_config.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <vector>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/input/library/library.h"
#include "sim/input/library/quantization_config.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Reads single keys of a config.json and collects what is wrong.
class Config {
 public:
  explicit Config(YamlText& text) : text_(text), root_(text.root) {
    std::set<std::string> seen;
    for (const auto& entry : root_)
      if (const std::string& key = entry.first.Scalar(); !seen.insert(key).second)
        fail(key, "'" + key + "' is given twice");
  }

  /// A count that must be there.
  std::int64_t count(const std::string& key) { return whole(key, std::nullopt, 1); }
  /// A count, or HuggingFace's default where the key is missing or null.
  std::int64_t count(const std::string& key, std::int64_t missing) { return whole(key, missing, 0); }

  bool flag(const std::string& key, bool missing) {
    const YAML::Node node = root_[key];
    bool value = missing;
    if (given(node) && !YAML::convert<bool>::decode(node, value)) fail(key, "'" + key + "' must be true or false");
    return value;
  }

  std::string text(const std::string& key) {
    const YAML::Node node = root_[key];
    if (given(node) && node.IsScalar()) return node.Scalar();
    fail(key, "'" + key + "' is missing: give the text that HuggingFace writes there");
    return "";
  }

  /// bf16 where the key is missing.
  WeightTypes weights() {
    const char* key = "quantization_config";
    const YAML::Node node = root_[key];
    if (!given(node)) return {};
    if (node.IsMap()) return read_quantization(node, [&](const std::string& message) { fail(key, message); });
    fail(key, "'quantization_config' must be a map");
    return {};
  }

  std::optional<Derivation> derivation() {
    const char* key = "derivation";
    const YAML::Node node = root_[key];
    if (!given(node)) return std::nullopt;
    Derivation d;
    const auto read = [&](const char* part, auto& value) {
      if (node.IsMap() && given(node[part]) &&
          YAML::convert<std::decay_t<decltype(value)>>::decode(node[part], value))
        return;
      fail(key, std::string("'derivation' must be a map with from, how, lost_points and source; '") + part +
                    "' is missing or of another type");
    };
    read("from", d.from);
    read("how", d.how);
    read("lost_points", d.lost_points);
    read("source", d.source);
    return d;
  }

  /// True also for a key that is null.
  bool names(const std::string& key) const { return root_[key].IsDefined(); }

  void fail(const std::string& key, const std::string& message) {
    const YAML::Node node = root_[key];
    Place place{.file = text_.file, .line = 1, .column = 1};
    if (node.IsDefined()) {
      place.line = node.Mark().line + 1;
      place.column = node.Mark().column + 1;
    }
    text_.problems.push_back({place, key, message});
  }

 private:
  static bool given(const YAML::Node& node) { return node.IsDefined() && !node.IsNull(); }

  std::int64_t whole(const std::string& key, std::optional<std::int64_t> missing, std::int64_t least) {
    constexpr std::int64_t most = 1'000'000'000;  // far above any real size; keeps products inside 64 bits
    const YAML::Node node = root_[key];
    std::int64_t value = 0;
    if (!given(node)) {
      if (!missing) fail(key, "'" + key + "' is missing: this model_type needs it, a whole number of at least 1");
      return missing.value_or(1);
    }
    if (YAML::convert<std::int64_t>::decode(node, value) && value >= least && value <= most) return value;
    fail(key, "'" + key + "' must be a whole number of at least " + std::to_string(least) + " and at most " +
                  std::to_string(most));
    return 1;
  }

  YamlText& text_;
  const YAML::Node root_;  // const: looking a key up does not create it
};

/// What nearly all families share.
Llm decoder(Config& c) {
  Llm m;
  m.layers = c.count("num_hidden_layers");
  m.hidden = c.count("hidden_size");
  m.heads = c.count("num_attention_heads");
  m.kv_heads = c.count("num_key_value_heads", m.heads);
  m.head_size = c.count("head_dim", m.heads > 0 ? m.hidden / m.heads : 0);
  m.vocabulary = c.count("vocab_size");
  m.tied_embeddings = c.flag("tie_word_embeddings", false);
  return m;
}

Llm llama(Config& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.mlp_bias = c.flag("mlp_bias", false);
  return m;
}

Llm mistral(Config& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  // HuggingFace's MistralConfig: 4096 where the key is missing, none where it is null.
  m.sliding_window = c.names("sliding_window") ? c.count("sliding_window", 0) : 4096;
  return m;
}

Llm qwen(Config& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  if (c.flag("use_sliding_window", false))
    c.fail("use_sliding_window", "a sliding window on the upper layers only is not modelled; must be false");
  return m;
}

Llm qwen2(Config& c) {
  Llm m = qwen(c);
  m.qkv_bias = true;
  return m;
}

Llm qwen3(Config& c) {
  Llm m = qwen(c);
  m.qkv_bias = m.output_bias = c.flag("attention_bias", false);
  m.qk_norm = true;
  return m;
}

Llm qwen3_moe(Config& c) {
  Llm m = qwen3(c);
  m.experts = {.count = c.count("num_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("moe_intermediate_size"),
               .layer_step = c.count("decoder_sparse_step", 1)};
  return m;
}

Llm mixtral(Config& c) {
  Llm m = decoder(c);
  m.sliding_window = c.count("sliding_window", 0);
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size")};
  return m;
}

Llm gpt_oss(Config& c) {
  Llm m = decoder(c);
  m.qkv_bias = m.output_bias = c.flag("attention_bias", true);
  m.mlp_bias = true;
  m.attention_sinks = true;
  m.sliding_window = c.count("sliding_window", 128);
  m.full_attention_step = 2;  // windowed and full layers in turn
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size"),
               .router_bias = true};
  return m;
}

/// Every layer has experts; queries and keys are normed over all heads.
Llm minimax_m2(Config& c) {
  Llm m = decoder(c);
  m.qk_norm = c.flag("use_qk_norm", false);
  m.experts = {.count = c.count("num_local_experts"),
               .active = c.count("num_experts_per_tok"),
               .intermediate = c.count("intermediate_size"),
               .shared_intermediate = c.count("shared_intermediate_size", 0),
               .router_bias = c.flag("use_routing_bias", false)};
  return m;
}

Llm deepseek(Config& c) {
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

Llm opt(Config& c) {
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

Llm phi(Config& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.gated_mlp = false;
  m.layer_norm_bias = true;
  m.norms_per_layer = 1;
  m.qkv_bias = m.output_bias = m.mlp_bias = m.lm_head_bias = true;
  if (c.flag("qk_layernorm", false)) c.fail("qk_layernorm", "is not modelled for phi; must be false");
  return m;
}

Llm phi3(Config& c) {
  Llm m = decoder(c);
  m.intermediate = c.count("intermediate_size");
  m.sliding_window = c.count("sliding_window", 0);
  return m;
}

using Family = Llm (*)(Config&);
const std::map<std::string, Family>& families() {
  static const std::map<std::string, Family> by_model_type{{"deepseek_v2", deepseek},
                                                           {"deepseek_v3", deepseek},
                                                           {"gpt_oss", gpt_oss},
                                                           {"kimi_k2", deepseek},
                                                           {"llama", llama},
                                                           {"minimax_m2", minimax_m2},
                                                           {"mistral", mistral},
                                                           {"mixtral", mixtral},
                                                           {"opt", opt},
                                                           {"phi", phi},
                                                           {"phi3", phi3},
                                                           {"qwen2", qwen2},
                                                           {"qwen3", qwen3},
                                                           {"qwen3_moe", qwen3_moe}};
  return by_model_type;
}

void check(Config& c, const Llm& m) {
  if (m.kv_heads < 1 || m.heads % m.kv_heads != 0)
    c.fail("num_key_value_heads", "'num_key_value_heads' must divide the attention heads");
  if (m.head_size < 1) c.fail("hidden_size", "'hidden_size' is smaller than 'num_attention_heads'");
  if (m.experts && m.experts->active > m.experts->count)
    c.fail("num_experts_per_tok", "'num_experts_per_tok' is more than the experts there are");
}

/// The folder's name for ".../config.json", as downloads are laid out; else the file's.
std::string name_of(const fs::path& file) {
  const bool plain = file.filename() == "config.json" && file.has_parent_path();
  return plain ? file.parent_path().filename().string() : file.stem().string();
}

/// Where an engine finds the weights: beside a config.json; bundled models say what HuggingFace calls them.
std::string repository_of(Config& config, const fs::path& file) {
  if (file.filename() == "config.json" && file.has_parent_path()) return file.parent_path().string();
  return config.names("_name_or_path") ? config.text("_name_or_path") : "";
}

/// Engines sample as the model's generation_config.json asks, which lies beside its config.json; bundled models say
/// it in the key "sampling" of their own file.
std::string sampling_of(Config& config, const fs::path& file) {
  const std::vector<std::string> words{"greedy", "plain", "topk_topp"};
  if (config.names("sampling")) {
    const std::string said = config.text("sampling");
    if (std::ranges::find(words, said) == words.end()) config.fail("sampling", unknown_name("sampling", said, words));
    return said;
  }
  const fs::path generation = file.parent_path() / "generation_config.json";
  if (file.filename() != "config.json" || !is_there(generation)) return "plain";
  const YamlText text = YamlText::load(generation.string());
  return text.root["top_p"].IsDefined() || text.root["top_k"].IsDefined() ? "topk_topp" : "plain";
}

}  // namespace

Llm load_llm(const std::string& name_or_path, const Place& where, const std::string& named_in) {
  fs::path file = library_file(llm_folder, name_or_path, where, named_in);
  if (is_folder(file)) file /= "config.json";
  YamlText text = YamlText::load(file.string());
  Config config(text);
  const std::string model_type = config.text("model_type");
  text.throw_problems();
  const auto family = families().find(model_type);
  if (family == families().end()) {
    config.fail("model_type", unknown_name("model_type", model_type, llm_families()));
    text.throw_problems();
  }
  Llm llm = family->second(config);
  llm.name = name_of(file);
  llm.repository = repository_of(config, file);
  llm.sampling = sampling_of(config, file);
  llm.published = config.weights();
  llm.derivation = config.derivation();
  if (text.problems.empty()) check(config, llm);
  text.throw_problems();
  return llm;
}

std::vector<std::string> list_llms() { return library_names(llm_folder); }

std::vector<std::string> llm_families() {
  std::vector<std::string> names;
  for (const auto& [name, family] : families()) names.push_back(name);
  return names;
}

}  // namespace servecast
