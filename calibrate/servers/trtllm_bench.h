#pragma once
#include <cstdint>

#include "models/hw/data_type.h"

namespace servecast {

struct Gpu;
struct Llm;

struct BuiltEngine {
  std::int64_t max_batch_size = 0;
  std::int64_t max_num_tokens = 0;
};

/// The limits that `trtllm-bench build --dataset` gives an engine, from the lengths of the dataset: as many sequences
/// as a KV cache of 95 % of what weights leave would hold, and of tokens as many as these take in per step in the
/// mean, both rounded up (TensorRT-LLM 0.15, bench/build/tuning.py).
BuiltEngine trtllm_bench_build(const Gpu& gpu, const Llm& llm, DataType type, std::int64_t tensor_parallel,
                               std::int64_t prompt_tokens, std::int64_t output_tokens);

}  // namespace servecast
