#pragma once
#include "models/hw/llm/attention_span.h"
#include "models/hw/roofline/roofline.h"
#include "models/hw/roofline/smooth_max.h"

namespace servecast {

/// Attention of one layer on one GPU, from the sums of a step.
///
/// Decode: launch * soft_max(1, x / launch), x = the slower of reading the KV cache, KV bytes (K + half n) / rate,
/// and of arithmetic, flop per pair * K / prefill rate; K = tokens attended to, n = sequences. Drafts are
/// checked with the keys read once: the arithmetic is that of all queries. Prefill: the same with
/// x = the slower of arithmetic, flop per pair * (P + half sqrt(P n / 2)) / rate, and of reading prefix and chunk
/// once; P = query-key pairs, n = chunks: half / s with s = sqrt(2 P / n), the length of the prompt that has as many
/// pairs as the mean chunk. Both in one step share a launch. What a layer sees of a sequence (AttentionSpan) is taken
/// on the mean, of chunks as the step counts it. Leaves out: uneven lengths within a batch, head sizes other than
/// 128, re-reads of the prefix by query tile.
class AttentionModel {
 public:
  explicit AttentionModel(const RooflineInputs& inputs);

  StageTime operator()(const StepWork& work, const AttentionSpan& span) const;

 private:
  StageTime decode(const StepWork& work, double kv_tokens) const;
  StageTime prefill(double sequences, double pairs, double kv_tokens) const;
  bool out_of_range(const StepWork& work) const;

  DecodeAttentionFit decode_fit_;
  PrefillAttentionFit prefill_fit_;
  SmoothMax decode_shape_;
  SmoothMax prefill_shape_;
  double kv_bytes_per_token_ = 0;
  double decode_flop_per_pair_ = 0;
  double prefill_flop_per_pair_ = 0;
  double shared_launch_s_ = 0;
};

}  // namespace servecast
