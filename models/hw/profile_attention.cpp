#include "models/hw/profile_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "models/base/counts.h"
#include "models/hw/octave_table.h"

namespace servecast {
namespace {

constexpr double longest_context = 1 << 20;
constexpr std::int64_t long_prompt = 16384;  // bound by arithmetic on every GPU
constexpr double most_pairs = 1e12;          // half the square of a million tokens

AttentionHeads heads(const ProfileInputs& in, std::int64_t window) {
  return {.q_heads = std::max<std::int64_t>(1, in.llm.heads / in.shape.tensor_parallel),
          .kv_heads = kv_heads_per_gpu(in.llm, in.shape.tensor_parallel),
          .head_dim = in.llm.head_size,
          .window = window,
          .kv_dtype = facts(in.kv).name};
}

/// Prompts run with full heads, decoding on the latent vector.
LatentHeads latent_heads(const ProfileInputs& in, bool prompt) {
  const LatentAttention& a = in.llm.latent.value();
  return {.heads = std::max<std::int64_t>(1, in.llm.heads / in.shape.tensor_parallel),
          .query_size = prompt ? in.llm.query_size() : a.kv_rank + a.rope_head_size,
          .value_size = prompt ? in.llm.value_size() : a.kv_rank,
          .kv_dtype = facts(in.kv).name};
}

/// The profile has the kind that the model needs: whoever loads it checks.
KernelTime decode_time(const ProfileInputs& in, const KernelTimes& kernels, std::int64_t window,
                       std::int64_t sequences, double context) {
  const auto time = in.llm.latent ? kernels.mla_decode(latent_heads(in, false), sequences, context)
                                  : kernels.decode(heads(in, window), sequences, context);
  return time.value();
}

KernelTime prompt_time(const ProfileInputs& in, const KernelTimes& kernels, double tokens) {
  const auto time = in.llm.latent ? kernels.mla_prefill(latent_heads(in, true), tokens, 0)
                                  : kernels.prefill(heads(in, 0), tokens, 0);
  return time.value();
}

}  // namespace

ProfileAttention::ProfileAttention(const ProfileInputs& inputs, const KernelTimes& kernels, std::int64_t window)
    : window_(window) {
  tabulate_decodes(inputs, kernels);
  tabulate_prompts(inputs, kernels);
  check_s_per_pair_ = chunk_s(long_prompt, 0) / pairs(long_prompt, 0) * decode_flop_per_pair(inputs.llm) /
                      attention_flop_per_pair(inputs.llm);
}

void ProfileAttention::tabulate_decodes(const ProfileInputs& in, const KernelTimes& kernels) {
  contexts_ = octave::knots_to(longest_context);
  const std::size_t rows = octave::knots_to(real(in.max_sequences));
  for (std::size_t row = 0; row < rows; ++row)
    for (std::size_t column = 0; column < contexts_; ++column) {
      const auto sequences = static_cast<std::int64_t>(octave::size(row));  // knots between 1 and 8 repeat
      const KernelTime time = decode_time(in, kernels, window_, sequences, octave::size(column));
      decode_s_.push_back(time.seconds * octave::size(row) / real(sequences));
      decode_extrapolated_.push_back(time.extrapolated);
    }
}

void ProfileAttention::tabulate_prompts(const ProfileInputs& in, const KernelTimes& kernels) {
  for (std::size_t knot = 0; knot < octave::knots_to(most_pairs); ++knot) {
    const KernelTime time = prompt_time(in, kernels, std::sqrt(2 * octave::size(knot)));
    prompt_s_.push_back(std::max(0.0, time.seconds - shared_launch_s));
    prompt_extrapolated_.push_back(time.extrapolated);
  }
}

StageTime ProfileAttention::decode(std::int64_t sequences, double mean_context) const {
  const OctavePoint n = octave::point(real(sequences));
  const OctavePoint context = octave::point(std::min(mean_context, longest_context));
  const std::size_t rows = decode_s_.size() / contexts_;
  const std::size_t row = std::min(n.knot, rows - 2);
  const double row_part = n.knot > row ? 1 : n.part;
  const double* at = &decode_s_[row * contexts_ + context.knot];
  const double low = at[0] + (at[1] - at[0]) * context.part;
  const double high = at[contexts_] + (at[contexts_ + 1] - at[contexts_]) * context.part;
  const double scale = n.knot > row ? real(sequences) / octave::size(row + 1) : 1;  // more than were tabulated
  return {.seconds = scale * (low + (high - low) * row_part),
          .extrapolated = n.knot > row || decode_extrapolated_[row * contexts_ + context.knot]};
}

double ProfileAttention::pairs(std::int64_t tokens, std::int64_t prefix) const {
  const double all = real(tokens) * (real(prefix) + 0.5 * real(tokens));
  return window_ > 0 ? std::min(all, real(tokens) * real(window_)) : all;
}

double ProfileAttention::chunk_s(std::int64_t tokens, std::int64_t prefix) const {
  const OctavePoint at = octave::point(std::min(pairs(tokens, prefix), most_pairs));
  return prompt_s_[at.knot] + (prompt_s_[at.knot + 1] - prompt_s_[at.knot]) * at.part;
}

bool ProfileAttention::prompt_extrapolated(double pairs) const {
  return prompt_extrapolated_[octave::point(std::min(pairs, most_pairs)).knot];
}

}  // namespace servecast
