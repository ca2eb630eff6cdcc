#include "sim/input/library/llm_config.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

void check(LlmConfig& c, const Llm& m) {
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
std::string repository_of(LlmConfig& config, const fs::path& file) {
  if (file.filename() == "config.json" && file.has_parent_path()) return file.parent_path().string();
  return config.names("_name_or_path") ? config.text("_name_or_path") : "";
}

/// As published; and as NVIDIA's checkpoint in NVFP4, of which bundled models say in "nvfp4_config" what it leaves
/// out.
Checkpoints checkpoints_of(LlmConfig& config) {
  return {.own = config.weights("quantization_config", {}), .nvfp4 = config.weights("nvfp4_config", DataType::nvfp4)};
}

/// Engines sample as the model's generation_config.json asks, which lies beside its config.json; bundled models say
/// it in the key "sampling" of their own file.
std::string sampling_of(LlmConfig& config, const fs::path& file) {
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
  LlmConfig config(text);
  const std::string model_type = config.text("model_type");
  text.throw_problems();
  const LlmFamily family = llm_family(model_type);
  if (!family) {
    config.fail("model_type", unknown_name("model_type", model_type, llm_families()));
    text.throw_problems();
  }
  Llm llm = family(config);
  llm.name = name_of(file);
  llm.repository = repository_of(config, file);
  llm.sampling = sampling_of(config, file);
  llm.published = checkpoints_of(config);
  llm.derivation = config.derivation();
  if (text.problems.empty()) check(config, llm);
  text.throw_problems();
  return llm;
}

std::vector<std::string> list_llms() { return library_names(llm_folder); }

std::vector<std::string> llm_families() { return llm_family_names(); }

}  // namespace servecast
