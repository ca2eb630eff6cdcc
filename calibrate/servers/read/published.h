#pragma once
#include <string>

namespace servecast {

/// The bundled model of a published name (HuggingFace's, or as pages of results write it), and what its weights are
/// published in.
struct BundledLlm {
  std::string name;
  std::string weights;
  bool experts = false;
};
/// Throws NoMatch where it means none.
BundledLlm bundled_llm(const std::string& published);

/// Whether fp8 of a model published so has blocks: Alibaba quantises its own checkpoints in them.
bool fp8_in_blocks(const std::string& published);

/// A bundled GPU and the machine that it comes in.
struct BundledGpu {
  std::string name;
  std::string node;
  bool measured = true;  // its kernels were, not scaled from another GPU
  bool blackwell = false;

  std::string title() const { return measured ? name : name + " (kernels derived)"; }
};
/// Of AIConfigurator's or InferenceMAX's name, or that of TensorRT-LLM's pages. Throws NoMatch where it means none.
BundledGpu bundled_gpu(const std::string& published);

/// The name of a type that weights can have: `precision` as rows write it, or where they say none, what the model is
/// published in. A row's "fp8" is block-scaled where the model is published so, and "fp4" its own 4-bit type, or
/// NVFP4. Throws NoMatch where there is no such type.
std::string bundled_weights(const std::string& precision, const BundledLlm& llm);

/// The lines of a pool that say so, each indented by four. gpt-oss keeps all but its experts in bf16, and engines
/// give these 8-bit activations on Blackwell (vLLM's VLLM_USE_FLASHINFER_MOE_MXFP4_MXFP8, TensorRT-LLM's TRTLLM
/// backend).
std::string weight_settings(const std::string& weights, const BundledGpu& gpu);

}  // namespace servecast
