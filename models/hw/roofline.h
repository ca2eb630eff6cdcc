#pragma once
#include <cstdint>
#include <memory>

#include "models/base/fields.h"
#include "models/hw/data_type.h"
#include "models/hw/gpu.h"
#include "models/hw/llm.h"
#include "models/hw/shape.h"
#include "models/hw/step_latency.h"

namespace servecast {

/// What an engine adds to the kernels. The default host terms are what overlapped scheduling
/// (vLLM from 0.14, TensorRT-LLM 1.0) leaves visible; for a synchronous engine see docs/models.md.
struct RooflineSettings {
  double host_step_s = 2e-4;
  double host_sequence_s = 2e-6;
  double all_reduce_skew = 1.28;
  std::int64_t cuda_graph_max_tokens = 512;

  void fields(Fields& f) {
    f.field("host_step_s", host_step_s, "scheduling and launching one step while the GPU waits");
    f.field("host_sequence_s", host_sequence_s, "the same, more for each sequence in it");
    f.field("all_reduce_skew", all_reduce_skew, "all-reduce inside an engine over the isolated benchmark",
            at_least_one);
    f.field("cuda_graph_max_tokens", cuda_graph_max_tokens,
            "largest step run as a CUDA graph, at most twice the sequences; 0: all eager");
  }
};

/// The path from one pipeline stage to the next.
struct StageLink {
  double bytes_per_s = 0;
  double latency_s = 0;
};

struct RooflineInputs {
  const Gpu& gpu;  // with kernels; read while building, not kept
  const Llm& llm;
  DataType weights = DataType::bf16;
  DataType kv = DataType::bf16;
  Shape shape{};
  std::int64_t max_step_tokens = 2048;  // larger steps are answered too, slowly
  std::int64_t max_sequences = 256;
  StageLink stage_link{};  // needed with pipeline_parallel above 1
  RooflineSettings settings{};
};

/// Step time as a sum over operators, each a soft maximum of launch, arithmetic and memory time:
///   every layer: linear layers (experts: those that are touched), decode attention, prefill attention, two
///   all-reduces, elementwise traffic, small kernels;
///   first stage: host time, embedding all-reduce; last stage: LM head of the emitting sequences; between stages:
///   hidden state and residual over the link.
/// Constants: the GPU file. Formulas, ranges, errors and what is left out: docs/models.md.
/// Requires cannot_compute(gpu, weights) to be empty.
std::unique_ptr<StepLatency> make_roofline(const RooflineInputs& inputs);

}  // namespace servecast
