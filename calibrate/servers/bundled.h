#pragma once
#include <string>

namespace servecast {

/// The bundled model of a published name (HuggingFace's, or as pages of results write it), and what its weights are
/// published in.
struct BundledLlm {
  std::string name;
  std::string weights;
};
/// Throws NoMatch where it means none.
BundledLlm bundled_llm(const std::string& published);

/// A bundled GPU and the machine that it comes in.
struct BundledGpu {
  std::string name;
  std::string node;
  bool measured = true;  // its kernels were, not scaled from another GPU
};
/// Of aiconfigurator's name, or that of TensorRT-LLM's pages. Throws NoMatch where it means none.
BundledGpu bundled_gpu(const std::string& published);

/// `precision` as rows write it, or where they say none, `published`: the name of a type that weights can have.
/// Throws NoMatch where there is no such type.
std::string bundled_weights(const std::string& precision, const std::string& published);

}  // namespace servecast
