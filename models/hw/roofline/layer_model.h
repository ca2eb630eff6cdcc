#pragma once
#include <cstdint>
#include <vector>

#include "models/hw/latency/kernel_time.h"
#include "models/hw/roofline/roofline.h"

namespace servecast {

/// A linear layer on one GPU.
struct Linear {
  GemmShape shape;
  DataType weights = DataType::bf16;
  bool counts_range = true;  // false: too small or too plainly memory-bound for the fitted shapes to matter
};

/// Linear layers of one transformer layer on one GPU of a tensor-parallel group: of attention, and of what follows
/// it, routed experts apart.
std::vector<Linear> attention_linears(const Llm& llm, const WeightTypes& weights, std::int64_t tensor_parallel,
                                      const LayerKind& kind);
/// The same without what latent attention makes keys and values of: decoding absorbs it.
std::vector<Linear> absorbed_linears(const Llm& llm, const WeightTypes& weights, std::int64_t tensor_parallel,
                                     const LayerKind& kind);
std::vector<Linear> mlp_linears(const Llm& llm, const WeightTypes& weights, std::int64_t tensor_parallel,
                                bool expert_layer);
/// Both.
std::vector<Linear> linear_layers(const Llm& llm, const WeightTypes& weights, std::int64_t tensor_parallel,
                                  const LayerKind& kind);

/// Bytes that the elementwise kernels of one layer move for one token on one GPU, in bf16: two norms with residuals
/// (12 per hidden unit), rotary embedding and cache write (4 per query, key and value unit, once more per key), and
/// the activation function (6 per MLP unit where gated, else 4). Linear attention: convolution of queries, keys and
/// values (4 per unit), and a gated norm (6 per value unit).
double elementwise_bytes_per_token(const Llm& llm, std::int64_t tensor_parallel, const LayerKind& kind);

/// Everything in one transformer layer that depends on the number of tokens only: all but attention.
class LayerModel {
 public:
  LayerModel(const RooflineInputs& inputs, const LayerKind& kind);

  StageTime operator()(std::int64_t tokens) const;
  /// All-reduce of the hidden state of so many tokens, with the wait for the slowest rank; nothing on one GPU.
  StageTime all_reduce(std::int64_t tokens) const;

 private:
  std::int64_t padded(std::int64_t tokens) const;
  StageTime experts(std::int64_t tokens) const;

  Llm llm_;
  Kernels kernels_;
  WeightTypes weights_;
  Shape shape_;
  RankLoads rank_loads_;
  std::int64_t node_ranks_;  // GPUs of the tensor-parallel group on one node
  bool expert_layer_;
  std::int64_t graph_tokens_;
  double all_reduce_wait_s_;
  double small_kernels_s_;
  std::vector<Linear> linears_;
  double elementwise_bytes_;
};

}  // namespace servecast
