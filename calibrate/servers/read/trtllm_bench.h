#pragma once
#include <cstdint>

#include "models/hw/llm/data_type.h"

namespace servecast {

struct Gpu;
struct Llm;

struct BuiltEngine {
  std::int64_t max_batch_size = 0;
  std::int64_t max_num_tokens = 0;
};

/// What trtllm-bench runs; all requests are alike.
struct BenchedEngine {
  const Gpu& gpu;
  const Llm& llm;
  DataType weights{};
  DataType kv{};
  std::int64_t tensor_parallel = 1;
  std::int64_t prompt_tokens = 0;
  std::int64_t output_tokens = 0;
};

/// The limits that `trtllm-bench build --dataset` gives an engine, from the lengths of the dataset: as many sequences
/// as a KV cache of 95 % of what weights leave would hold, and of tokens as many as these take in per step in the
/// mean, both rounded up (TensorRT-LLM 0.15, bench/build/tuning.py).
BuiltEngine trtllm_bench_build(const BenchedEngine& engine);

/// Those that `trtllm-bench throughput --backend pytorch` gives itself: the same rule, and room in a step for one
/// whole prompt beside all decodes, because prompts are not cut (TensorRT-LLM 1.0, bench/benchmark/utils/general.py).
BuiltEngine trtllm_bench_throughput(const BenchedEngine& engine);

}  // namespace servecast
