#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "calibrate/decoder/kernel_device.h"
#include "calibrate/step/decoder_shape.h"
#include "calibrate/step/step_arrays.h"
#include "calibrate/step/step_limits.h"
#include "kernels/attention/paged_kv.h"

namespace servecast {

/// Bytes of a decoder with these limits, weights and KV included.
std::int64_t decoder_bytes(const DecoderShape& shape, const StepLimits& limits, int processors);

/// One forward pass of a decoder with random weights in bf16, made of our kernels, from tokens to tokens:
///   rows of the embedding table
///   per layer: norm, product of queries, keys and values, turn and write to the cache, attention of decodes and of
///   prompts, output product, residual and norm, gate and up product, SiLU, down product
///   residual and norm, LM head of sequences that emit, the likeliest token
/// as the simulator's step latency counts it (models/hw/profile/profile_latency.h).
class DecoderStep {
 public:
  /// Keeps the device, on which it takes all its memory now.
  DecoderStep(const DecoderShape& shape, const StepLimits& limits, KernelDevice& device);

  /// What the next calls of start() compute; `token_ids`, one for each token, are rows of the vocabulary.
  void load(const StepArrays& arrays, std::span<const std::int32_t> token_ids);
  void start();
  /// When it is done: the token of every sequence that emits, in their order.
  std::vector<std::int32_t> made();

  // For tests: weights, as they lie, and the cache of a layer.
  struct Layer {
    void* first_norm = nullptr;   // [hidden]
    void* qkv = nullptr;          // [qkv width][hidden]
    void* out = nullptr;          // [hidden][query width]
    void* second_norm = nullptr;  // [hidden]
    void* gate_up = nullptr;      // [2 intermediate][hidden]
    void* down = nullptr;         // [hidden][intermediate]
    void* keys = nullptr;         // of blocks, see PagedKv
    void* values = nullptr;
  };
  const std::vector<Layer>& layers() const { return layers_; }
  const void* embedding() const { return embedding_; }
  const void* last_norm() const { return last_norm_; }
  const void* head() const { return head_; }
  const float* logits() const { return logits_; }

 private:
  struct Product {
    const void* a = nullptr;
    const void* weights = nullptr;
    void* out = nullptr;
    int rows = 0;
    int columns = 0;
    int depth = 0;
  };
  void make_weights();
  void make_cache();
  void make_room();
  std::int32_t* int_room(std::int64_t count);
  float* float_room(std::int64_t count);
  void make_positions();
  void multiply(const Product& product);
  void norm(const void* x, void* residual, const void* weight);
  void attend(const Layer& layer);
  void pass(const Layer& layer);
  void emit();
  PagedKv kv(const Layer& layer, int first_row) const;

  DecoderShape shape_;
  StepLimits limits_;
  KernelDevice& device_;
  std::vector<Layer> layers_{};
  void* embedding_ = nullptr;
  void* last_norm_ = nullptr;
  void* head_ = nullptr;
  float* cos_sin_ = nullptr;
  // Of the step, by token:
  void* residual_ = nullptr;
  void* normed_ = nullptr;
  void* x_ = nullptr;  // what the layer has added
  void* qkv_ = nullptr;
  void* queries_ = nullptr;
  void* attended_ = nullptr;
  void* gate_up_ = nullptr;
  void* activated_ = nullptr;
  // By sequence that emits:
  void* last_ = nullptr;
  void* narrow_logits_ = nullptr;
  float* logits_ = nullptr;
  std::int32_t* made_ = nullptr;
  float* product_parts_ = nullptr;
  float* attention_parts_ = nullptr;
  std::int32_t* loaded_ = nullptr;
  // Of what is loaded:
  const std::int32_t* token_ids_ = nullptr;
  const std::int32_t* token_rows_ = nullptr;
  const std::int32_t* positions_ = nullptr;
  const std::int32_t* context_ = nullptr;
  const std::int32_t* prompt_start_ = nullptr;
  const std::int32_t* emitting_ = nullptr;
  const std::int32_t* table_ = nullptr;
  StepArrays now_{};
};

}  // namespace servecast
