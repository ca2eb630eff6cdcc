#include "calibrate/servers/read/published.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "calibrate/servers/read/csv_rows.h"
#include "models/hw/llm/data_type.h"
#include "sim/input/library/library.h"
#include "sim/input/library/llm_config.h"

namespace servecast {
namespace {

/// Models under another name, or under the name of one with the same shapes.
const std::map<std::string_view, std::string_view> same_shapes{
    {"deepseek-r1", "deepseek-v3"},          {"deepseek-v3.1", "deepseek-v3"},
    {"llama-3.3-70b", "llama-3.1-70b"},      {"llama-v2-7b", "llama-2-7b"},
    {"llama-v2-70b", "llama-2-70b"},         {"llama-v3-8b", "llama-3-8b"},
    {"llama-v3-70b", "llama-3-70b"},         {"llama-v3.1-8b", "llama-3.1-8b"},
    {"llama-v3.1-70b", "llama-3.1-70b"},     {"meta-llama-3-8b", "llama-3-8b"},
    {"meta-llama-3-70b", "llama-3-70b"},     {"meta-llama-3.1-8b", "llama-3.1-8b"},
    {"meta-llama-3.1-70b", "llama-3.1-70b"},
};
/// What weights are published in where that is not bf16.
const std::map<std::string_view, std::string> published_in{
    {"deepseek-v3", "fp8_block"}, {"deepseek-v3.2", "fp8_block"}, {"gpt-oss-120b", "mxfp4"},
    {"gpt-oss-20b", "mxfp4"},     {"kimi-k2", "fp8_block"},       {"minimax-m2.5", "fp8_block"}};
/// Behind a model's name: how it was tuned and of which release it is, which changes no shape (nor do four digits of
/// a date).
const std::set<std::string_view> idle_words{"base", "chat", "exp",      "hf",   "instruct", "it", "v0.1",
                                            "v0.3", "v2",   "thinking", "128e", "16e",      "17b"};
/// And what the weights were quantised to.
const std::map<std::string_view, std::string> quantised_to{{"fp4", "nvfp4"}, {"nvfp4", "nvfp4"}, {"fp8", "fp8"}};

const std::map<std::string_view, BundledGpu> known_gpus{
    {"a100", {"a100_sxm_80g", "dgx_a100"}},
    {"a100 40gb", {"a100_sxm_40g", "dgx_a100", false}},
    {"a100 pcie", {"a100_pcie_80g", "pcie_server", false}},
    {"b200", {"b200_sxm_180g", "hgx_b200", true, true}},
    {"b300", {"b300_sxm_288g", "hgx_b300", false, true}},
    {"gb200", {"gb200_186g", "gb200_nvl72", true, true}},
    {"gb300", {"gb300_288g", "gb300_nvl72", false, true}},
    {"gh200", {"gh200_96g", "gh200", false}},
    {"h100", {"h100_sxm_80g", "dgx_h100"}},
    {"h100 nvl", {"h100_nvl_94g", "pcie_server", false}},
    {"h100 pcie", {"h100_pcie_80g", "pcie_server", false}},
    {"h200", {"h200_sxm_141g", "hgx_h200"}},
    {"h200 nvl", {"h200_nvl_141g", "pcie_server", false}},
    {"l40s", {"l40s_48g", "pcie_server"}},
};
/// Of a GPU's name: its board as all of these models have it, its memory where there is one size, an engine.
const std::set<std::string_view> idle_gpu_words{"nvidia", "sxm",   "sxm4",  "sxm5", "80gb",  "94gb",
                                                "96gb",   "141gb", "180gb", "hbm3", "hbm3e", "trt"};

std::vector<std::string> words(const std::string& name) {
  std::vector<std::string> all;
  std::string word;
  for (const unsigned char c : name + " ") {
    if (c != ' ' && c != '-' && c != '_') {
      word += static_cast<char>(std::tolower(c));
    } else if (!word.empty()) {
      all.push_back(std::exchange(word, {}));
    }
  }
  return all;
}

bool is_date(std::string_view word) {
  return word.size() == 4 && std::ranges::all_of(word, [](unsigned char c) { return std::isdigit(c) != 0; });
}

std::string bundled_name(const std::string& name) {
  const auto other = same_shapes.find(name);
  if (other != same_shapes.end()) return std::string(other->second);
  return std::filesystem::exists(library_path(llm_folder, name)) ? name : "";
}

/// Nothing where a word is behind the name that may mean another model.
std::optional<std::string> weights_by(std::span<const std::string> behind, std::string weights, bool blocks) {
  for (const std::string& word : behind)
    if (const auto type = quantised_to.find(word); type != quantised_to.end())
      weights = type->second == "fp8" && (blocks || weights == "fp8_block") ? "fp8_block" : type->second;
    else if (!idle_words.contains(word) && !is_date(word))
      return std::nullopt;
  return weights;
}

/// As TensorRT-LLM's pages write them. Models that they ran in 16 bits are counted as bf16.
const std::map<std::string_view, std::string> page_types{
    {"FP4", "fp4"}, {"FP8", "fp8"}, {"BF16", "bf16"}, {"FP16", "fp16"}, {"Mixed(FP16/BF16)", "bf16"}};

}  // namespace

bool fp8_in_blocks(const std::string& published) { return published.starts_with("Qwen/"); }

BundledLlm bundled_llm(const std::string& published) {
  const std::vector<std::string> said = words(published.substr(published.rfind('/') + 1));
  const bool blocks = fp8_in_blocks(published);
  for (std::size_t named = said.size(); named > 0; --named) {
    const std::span<const std::string> all(said);
    const std::string name = bundled_name(fmt::format("{}", fmt::join(all.first(named), "-")));
    if (name.empty()) continue;
    const auto own = published_in.find(name);
    const auto weights = weights_by(all.subspan(named), own == published_in.end() ? "bf16" : own->second, blocks);
    if (weights) return {.name = name, .weights = *weights, .experts = load_llm(name, {}).experts.has_value()};
  }
  throw NoMatch(fmt::format("no bundled model is known for '{}'", published));
}

BundledGpu bundled_gpu(const std::string& published) {
  std::vector<std::string> said = words(published);
  std::erase_if(said, [](const std::string& word) { return idle_gpu_words.contains(word); });
  const auto found = known_gpus.find(fmt::format("{}", fmt::join(said, " ")));
  if (found == known_gpus.end()) throw NoMatch(fmt::format("no bundled GPU is known for '{}'", published));
  return found->second;
}

std::string bundled_weights(const std::string& precision, const BundledLlm& llm) {
  const bool published_in_4_bits = llm.weights.ends_with("fp4");
  std::string said = precision.empty() || published_in_4_bits ? llm.weights : precision;
  if (const auto page = page_types.find(said); page != page_types.end()) said = page->second;
  if (said == "fp4") said = "nvfp4";
  if (said == "fp8" && llm.weights == "fp8_block") said = llm.weights;
  if (const auto type = data_type(said)) return std::string(facts(*type).name);
  std::vector<std::string_view> known;
  for (const DataTypeFacts& type : data_types) known.push_back(type.name);
  throw NoMatch(fmt::format("weights in '{}' are not modelled; known are {}", said, fmt::join(known, ", ")));
}

std::string weight_settings(const std::string& weights, const BundledGpu& gpu) {
  if (weights != "mxfp4") return fmt::format("    weights: {}\n", weights);
  return fmt::format("    weights: auto\n    expert_weights: {}\n", gpu.blackwell ? "w4a8_mxfp4" : "mxfp4");
}

}  // namespace servecast
