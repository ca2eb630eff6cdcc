#include "models/hw/roofline/attention_model.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"

namespace servecast {

AttentionModel::AttentionModel(const RooflineInputs& in)
    : decode_fit_(in.gpu.kernels.value().decode_attention),
      prefill_fit_(in.gpu.kernels->prefill_attention),
      decode_shape_(decode_fit_.sharpness),
      prefill_shape_(prefill_fit_.sharpness),
      kv_bytes_per_token_(kv_bytes_per_token_layer_and_gpu(in.llm, in.kv, in.shape.tensor_parallel)),
      decode_flop_per_pair_(decode_flop_per_pair(in.llm) / real(in.shape.tensor_parallel)),
      prefill_flop_per_pair_(attention_flop_per_pair(in.llm) / real(in.shape.tensor_parallel)),
      shared_launch_s_(std::min(decode_fit_.launch_s, prefill_fit_.launch_s)) {}

StageTime AttentionModel::decode(const StepWork& work, double kv_tokens) const {
  const double sequences = real(work.decode_sequences);
  const double queries = 1 + real(work.draft_tokens) / sequences;  // of one sequence
  const double read_s =
      kv_bytes_per_token_ * (kv_tokens + decode_fit_.half_tokens * sequences) / decode_fit_.bytes_per_s;
  const double math_s = decode_flop_per_pair_ * kv_tokens * queries / prefill_fit_.flop_per_s;
  const double launch_s = decode_fit_.launch_s;
  return {.seconds = launch_s * decode_shape_(std::max(read_s, math_s) / launch_s),
          .compute_s = math_s > read_s ? math_s : 0};
}

StageTime AttentionModel::prefill(double sequences, double pairs, double kv_tokens) const {
  const double math_s = prefill_flop_per_pair_ *
                        (pairs + prefill_fit_.half_tokens * std::sqrt(pairs * sequences / 2)) /
                        prefill_fit_.flop_per_s;
  const double read_s = kv_bytes_per_token_ * kv_tokens / decode_fit_.bytes_per_s;
  const double launch_s = prefill_fit_.launch_s;
  return {.seconds = launch_s * prefill_shape_(std::max(read_s, math_s) / launch_s),
          .compute_s = math_s > read_s ? math_s : 0};
}

bool AttentionModel::out_of_range(const StepWork& w) const {
  return w.decode_sequences > decode_fit_.max_sequences ||
         w.decode_kv_tokens > w.decode_sequences * decode_fit_.max_context_tokens ||
         w.prefill_prefix_tokens + w.prefill_tokens > w.prefill_sequences * prefill_fit_.max_context_tokens;
}

StageTime AttentionModel::operator()(const StepWork& w, const AttentionSpan& span) const {
  StageTime sum{.extrapolated = out_of_range(w)};
  const auto add = [&](const StageTime& one) {
    sum.seconds += one.seconds;
    sum.compute_s += one.compute_s;
  };
  const PromptChunks chunks = w.prompt_chunks();
  if (w.decode_sequences > 0) add(decode(w, w.decode_seen(span)));
  if (w.prefill_sequences > 0) add(prefill(chunks.sequences, span.pairs(chunks), span.reached(chunks)));
  if (w.decode_sequences > 0 && w.prefill_sequences > 0) sum.seconds -= shared_launch_s_;
  return sum;
}

}  // namespace servecast
