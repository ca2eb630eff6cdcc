#pragma once
#include <functional>
#include <string>

#include "models/hw/llm/weight_types.h"
#include "sim/input/yaml/yaml_fields.h"

namespace servecast {

/// What a config.json's `quantization_config` says of the weights, as the methods' own tools write it: fp8 (DeepSeek,
/// Qwen, MiniMax), mxfp4 (OpenAI), modelopt (NVIDIA), compressed-tensors (LLM Compressor), awq, gptq. Layers that it
/// leaves out stay bf16. What it does not know it tells `fail`.
WeightTypes read_quantization(const YAML::Node& config, const std::function<void(const std::string&)>& fail);

}  // namespace servecast
