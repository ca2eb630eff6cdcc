#pragma once
#include <optional>
#include <string>

#include "models/hw/llm/llm.h"

namespace servecast {

/// What one GPU of a tensor-parallel group has of a model, as a model of its own: so many of the layers, its share of
/// the heads, of the MLP and of the vocabulary. Requires that cannot_run() finds nothing.
Llm shard_of(const Llm& llm, std::int64_t tensor_parallel, std::int64_t layers);

/// Why our kernels cannot run such a shard; nothing where they can: plain decoders as Llama's.
std::optional<std::string> cannot_run(const Llm& llm, std::int64_t tensor_parallel);

/// Sizes of a shard's decoder as kernels take them.
struct DecoderShape {
  int layers = 0;
  int hidden = 0;
  int q_heads = 0;
  int kv_heads = 0;
  int head_dim = 0;
  int intermediate = 0;
  int vocabulary = 0;

  int q_width() const { return q_heads * head_dim; }
  int qkv_width() const { return (q_heads + 2 * kv_heads) * head_dim; }
};
DecoderShape decoder_shape(const Llm& shard);

}  // namespace servecast
