#pragma once
#include "models/hw/roofline/roofline.h"

namespace servecast {

/// Attention that no engine's kernels were measured for, on one GPU and in one layer: from its arithmetic and the
/// bytes that it moves, at the rates of the GPU's attention kernels, plus a launch. Every time counts as
/// extrapolated.
///
/// Linear (gated DeltaNet): a decode reads its state and writes it back. A prompt goes through it in chunks of 64
/// tokens, as the kernels of flash-linear-attention do: for each token and value head 2 (2 * 64 (d_k + d_v) + 3 d_k
/// d_v) operations within the chunk and between it and the state (Yang et al., "Gated Delta Networks", ICLR 2025,
/// section 3.3).
/// Sparse: the indexer's scores of a token against all before it, keys in 8 bits (DeepSeek-V3.2, technical report,
/// section 2); what it chooses is attended to like a window of as many tokens.
class DerivedAttention {
 public:
  DerivedAttention(const Gpu& gpu, const Llm& llm, const Shape& shape);

  StageTime linear_decodes(std::int64_t sequences) const;
  double linear_chunk_s(std::int64_t tokens) const;
  StageTime index_decodes(std::int64_t kv_tokens, std::int64_t sequences) const;
  double index_chunk_s(std::int64_t pairs) const;

 private:
  StageTime time(double bytes, double flop) const;

  DecodeAttentionFit decode_;
  double flop_per_s_;
  double state_bytes_ = 0;            // of a sequence
  double linear_flop_per_token_ = 0;  // of a prompt
  double index_bytes_per_token_ = 0;
  double index_flop_per_pair_ = 0;
};

}  // namespace servecast
