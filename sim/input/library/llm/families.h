#pragma once
#include <map>
#include <string>
#include <vector>

#include "models/hw/llm/llm.h"
#include "sim/input/library/llm/config.h"

namespace servecast {

/// What the keys of a config.json mean, by its `model_type`.
using LlmFamily = Llm (*)(LlmConfig&);
using LlmFamilies = std::map<std::string, LlmFamily>;

// One list for each file of families; each function cites HuggingFace's modeling file of its name where it deviates.
const LlmFamilies& dense_families();
const LlmFamilies& expert_families();
const LlmFamilies& latent_families();
const LlmFamilies& hybrid_families();  // linear attention
const LlmFamilies& vision_families();  // a text model beside an encoder of images

/// Of any list; null: not known.
LlmFamily llm_family(const std::string& model_type);
/// Names of the whole lists, and of those that are text models, sorted.
std::vector<std::string> llm_family_names();
std::vector<std::string> llm_text_families();

// What families share:
/// What nearly all have.
Llm decoder(LlmConfig& c, const Llm& missing = {});
/// The same with a dense MLP, and biases where the config says so.
Llm dense_decoder(LlmConfig& c, const Llm& missing = {});
/// As `layer_types` says; where it is missing, every `full_step`-th layer is full and the others are like `other`.
void read_attention(LlmConfig& c, Llm& m, Attention other, std::int64_t full_step);
/// Qwen's, and the expert that every token passes where there is one; single layers with a dense MLP are refused.
void read_qwen_experts(LlmConfig& c, Llm& m);

}  // namespace servecast
