// Text models beside an encoder of images: its weights, projection into the text model included, from the keys of its
// `vision_config`.
#include "models/base/counts.h"
#include "models/base/names.h"
#include "sim/input/library/llm/families.h"

namespace servecast {
namespace {

/// A transformer over patches of an image, and what makes tokens of them.
struct Encoder {
  std::int64_t layers = 0;
  std::int64_t hidden = 0;
  std::int64_t intermediate = 0;
  double mlp_products = 2;  // gated: 3
  bool biased = true;
  std::int64_t patch_numbers = 0;      // of a patch: colours, and frames where there are several
  std::int64_t positions = 0;          // rows of a table; 0: computed
  std::int64_t patches_per_token = 4;  // merged into one token
  double projection = 0;               // parameters that each token meets
  double norms = 0;                    // of the projection
  std::int64_t windowed_layers = 0;
  std::int64_t window_patches = 0;
};

double product(double inputs, double outputs) { return inputs * outputs + outputs; }  // with a bias

VisionEncoder encoder(const Encoder& e) {
  const double h = real(e.hidden);
  const double biases = e.biased ? 4 * h + (e.mlp_products - 1) * real(e.intermediate) + h : 0;
  const double layer_norms = e.biased ? 4 * h : 2 * h;
  const double products = real(e.layers) * (4 * h * h + e.mlp_products * h * real(e.intermediate));
  const double kept = real(e.layers) * (biases + layer_norms) + real(e.positions) * h + e.norms;
  const double patch = products + real(e.patch_numbers) * h;
  return {.parameters = patch + kept + e.projection,
          .layers = e.layers,
          .hidden = e.hidden,
          .patch_parameters = patch,
          .token_parameters = e.projection,
          .patches_per_token = e.patches_per_token,
          .whole_layers = e.layers - e.windowed_layers,
          .window_patches = e.window_patches};
}

std::int64_t square(std::int64_t side) { return side * side; }

/// SigLIP; its patches are averaged to 256 tokens, normed and projected (modeling_gemma3.py).
VisionEncoder gemma3_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t patches = square(v.count("image_size", 896) / v.count("patch_size", 14));
  const std::int64_t hidden = v.count("hidden_size");
  return encoder({.layers = v.count("num_hidden_layers"),
                  .hidden = hidden,
                  .intermediate = v.count("intermediate_size"),
                  .patch_numbers = 3 * square(v.count("patch_size", 14)),
                  .positions = patches,
                  .patches_per_token = patches / 256,
                  .projection = real(hidden) * real(text.hidden),
                  .norms = 4 * real(hidden)});
}

/// Two products over each square of patches (modeling_qwen2_vl.py, PatchMerger).
double qwen_merger(LlmConfig& v, std::int64_t hidden, std::int64_t out) {
  const double merged = real(hidden * square(v.count("spatial_merge_size", 2)));
  return product(merged, merged) + product(merged, real(out));
}

std::int64_t qwen_patch(LlmConfig& v, std::int64_t side) {
  return 3 * v.count("temporal_patch_size", 2) * square(v.count("patch_size", side));
}

VisionEncoder qwen2_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t hidden = v.count("embed_dim", 1280);
  return encoder({.layers = v.count("depth", 32),
                  .hidden = hidden,
                  .intermediate = hidden * v.count("mlp_ratio", 4),
                  .patch_numbers = qwen_patch(v, 14),
                  .patches_per_token = square(v.count("spatial_merge_size", 2)),
                  .projection = qwen_merger(v, hidden, text.hidden),
                  .norms = 2 * real(hidden)});
}

/// All but the layers of "fullatt_block_indexes" attend within windows of "window_size" pixels.
VisionEncoder qwen2_5_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t hidden = v.count("hidden_size", 1280);
  const std::int64_t layers = v.count("depth", 32);
  return encoder({.layers = layers,
                  .hidden = hidden,
                  .intermediate = v.count("intermediate_size", 3420),
                  .mlp_products = 3,
                  .patch_numbers = qwen_patch(v, 14),
                  .patches_per_token = square(v.count("spatial_merge_size", 2)),
                  .projection = qwen_merger(v, hidden, v.count("out_hidden_size", text.hidden)),
                  .norms = 2 * real(hidden),
                  .windowed_layers = layers - v.length("fullatt_block_indexes"),
                  .window_patches = square(v.count("window_size", 112) / v.count("patch_size", 14))});
}

/// With one merger more for each layer whose result goes to the text model as well.
VisionEncoder qwen3_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t hidden = v.count("hidden_size", 1152);
  const double mergers = 1 + real(v.length("deepstack_visual_indexes"));
  return encoder({.layers = v.count("depth", 27),
                  .hidden = hidden,
                  .intermediate = v.count("intermediate_size", 4304),
                  .patch_numbers = qwen_patch(v, 16),
                  .positions = v.count("num_position_embeddings", 2304),
                  .patches_per_token = square(v.count("spatial_merge_size", 2)),
                  .projection = mergers * qwen_merger(v, hidden, v.count("out_hidden_size", text.hidden)),
                  .norms = mergers * 2 * real(hidden)});
}

/// Four patches become one, go through two products, and are projected (modeling_llama4.py).
VisionEncoder llama4_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t patch = v.count("patch_size", 14);
  const std::int64_t intermediate = v.count("intermediate_size");
  const double into = real(v.count("projector_input_dim", 4096));
  const double out = real(v.count("projector_output_dim", 4096));
  return encoder({.layers = v.count("num_hidden_layers"),
                  .hidden = v.count("hidden_size"),
                  .intermediate = intermediate,
                  .patch_numbers = 3 * square(patch),
                  .positions = square(v.count("image_size") / patch) + 2,  // with one for the whole image
                  .projection = real(intermediate) * into + into * out + out * real(text.hidden)});
}

/// Pixtral: gated, without biases; a merger of four patches and two products (modeling_mistral3.py).
VisionEncoder mistral3_vision(LlmConfig& v, const Llm& text) {
  const std::int64_t hidden = v.count("hidden_size", 1024);
  const double h = real(hidden), t = real(text.hidden);
  return encoder({.layers = v.count("num_hidden_layers", 24),
                  .hidden = hidden,
                  .intermediate = v.count("intermediate_size", 4096),
                  .mlp_products = 3,
                  .biased = false,
                  .patch_numbers = 3 * square(v.count("patch_size", 16)),
                  .projection = 4 * h * h + h * t + t * t});
}

using Vision = VisionEncoder (*)(LlmConfig& vision_config, const Llm& text);

template <Vision vision>
Llm beside_vision(LlmConfig& c, Llm text) {
  LlmConfig v = c.inside("vision_config");
  text.vision = vision(v, text);
  return text;
}

/// The text model's own config.json lies under "text_config", and names its family there; where it does not, it is
/// this one.
template <Vision vision>
Llm with_text(LlmConfig& c, const std::string& family) {
  LlmConfig t = c.inside("text_config");
  const std::string name = t.text("model_type", family);
  const LlmFamily text = llm_family(name);
  if (!text) {
    t.fail("model_type", unknown_name("model_type", name, llm_text_families()));
    return {};
  }
  Llm m = text(t);
  if (c.names("tie_word_embeddings")) m.tied_embeddings = c.flag("tie_word_embeddings", m.tied_embeddings);
  return beside_vision<vision>(c, std::move(m));
}

Llm gemma3_seeing(LlmConfig& c) { return with_text<gemma3_vision>(c, "gemma3_text"); }
Llm llama4_seeing(LlmConfig& c) { return with_text<llama4_vision>(c, "llama4_text"); }
Llm mistral3_seeing(LlmConfig& c) { return with_text<mistral3_vision>(c, "mistral"); }
Llm qwen3_vl_seeing(LlmConfig& c) { return with_text<qwen3_vision>(c, "qwen3_vl_text"); }
Llm qwen3_vl_moe_seeing(LlmConfig& c) { return with_text<qwen3_vision>(c, "qwen3_vl_moe_text"); }
Llm qwen3_5_seeing(LlmConfig& c) { return with_text<qwen3_vision>(c, "qwen3_5_text"); }
Llm qwen3_5_moe_seeing(LlmConfig& c) { return with_text<qwen3_vision>(c, "qwen3_5_moe_text"); }

/// Their first configs have the text model's keys beside "vision_config".
template <Vision vision>
Llm qwen2_like(LlmConfig& c) {
  if (c.names("text_config")) return with_text<vision>(c, "qwen2");
  return beside_vision<vision>(c, llm_family("qwen2")(c));
}

}  // namespace

const LlmFamilies& vision_families() {
  static const LlmFamilies families{{"gemma3", gemma3_seeing},
                                    {"llama4", llama4_seeing},
                                    {"mistral3", mistral3_seeing},
                                    {"qwen2_5_vl", qwen2_like<qwen2_5_vision>},
                                    {"qwen2_vl", qwen2_like<qwen2_vision>},
                                    {"qwen3_5", qwen3_5_seeing},
                                    {"qwen3_5_moe", qwen3_5_moe_seeing},
                                    {"qwen3_vl", qwen3_vl_seeing},
                                    {"qwen3_vl_moe", qwen3_vl_moe_seeing}};
  return families;
}

}  // namespace servecast
