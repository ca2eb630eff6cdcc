#include "models/hw/profile/profile_attention.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <optional>

#include "models/base/counts.h"
#include "models/hw/latency/octave_table.h"

namespace servecast {
namespace {

constexpr double longest_context = 1 << 20;
constexpr std::int64_t long_prompt = 16384;  // bound by arithmetic on every GPU
constexpr std::int64_t tile_queries = 64;    // kBlockM of FlashAttention 2 with paged keys and values
constexpr double hopper = 9;                 // from here on engines have kernels with a scheduler of tiles
constexpr double most_pairs = 1e12;          // half the square of a million tokens

AttentionHeads heads(const ProfileInputs& in) {
  return {.q_heads = std::max<std::int64_t>(1, in.llm.heads / in.shape.tensor_parallel),
          .kv_heads = kv_heads_per_gpu(in.llm, in.shape.tensor_parallel),
          .head_dim = in.llm.head_size,
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

/// DeepSeek's checkpoints in 8 bits keep these products in 8 bits where the engine can.
std::optional<KernelTime> absorbed(const ProfileInputs& in, std::int64_t tokens) {
  const LatentAttention& a = in.llm.latent.value();
  return in.profile->mla_bmm({.dtype = facts(in.weights.attention).math == DataType::fp8 ? "fp8" : "bf16",
                              .tokens = tokens,
                              .heads = std::max<std::int64_t>(1, in.llm.heads / in.shape.tensor_parallel),
                              .nope_size = a.nope_head_size,
                              .value_size = a.value_head_size,
                              .latent_size = a.kv_rank});
}

std::optional<KernelTime> up_projection(const ProfileInputs& in, std::int64_t rows) {
  const LatentAttention& a = in.llm.latent.value();
  const std::int64_t heads = std::max<std::int64_t>(1, in.llm.heads / in.shape.tensor_parallel);
  return in.profile->gemm({.dtype = facts(in.weights.attention).name,
                           .m = rows,
                           .n = heads * (a.nope_head_size + a.value_head_size),
                           .k = a.kv_rank});
}

/// The profile has the kind that the model needs: load_pools() checks.
KernelTime decode_time(const ProfileInputs& in, std::int64_t sequences, double context) {
  if (!in.llm.latent) return in.profile->decode(heads(in), sequences, context).value();
  KernelTime time = in.profile->mla_decode(latent_heads(in, false), sequences, context).value();
  if (!absorbs_projection(in)) return time;
  const KernelTime products = absorbed(in, sequences).value();
  time.seconds += products.seconds;
  time.compute_s += products.compute_s;
  return time;
}

KernelTime prompt_time(const ProfileInputs& in, double tokens) {
  const auto time = in.llm.latent ? in.profile->mla_prefill(latent_heads(in, true), tokens, 0)
                                  : in.profile->prefill(heads(in), tokens, 0);
  return time.value();
}

/// Keys and values in fp8 are other kernels' (FlashInfer), which split prompts from decodes, as latent attention
/// does.
bool runs_flash_attention_2(const ProfileInputs& in) {
  const double capability = in.gpu.compute_capability;
  return in.terms.attention_in_one_call && capability > 0 && capability < hopper && !in.llm.latent &&
         facts(in.kv).bytes == 2;
}

}  // namespace

bool absorbs_projection(const ProfileInputs& in) { return in.llm.latent && absorbed(in, 1) && up_projection(in, 1); }

ProfileAttention::ProfileAttention(const ProfileInputs& inputs, const AttentionSpan& span)
    : in_(inputs),
      span_(span),
      absorbs_(absorbs_projection(inputs)),
      tiled_(runs_flash_attention_2(inputs)),
      decodes_(octave::knots_to(real(inputs.max_sequences))),
      prompts_(octave::knots_to(most_pairs)),
      projections_(octave::knots_to(longest_context) + 1) {}

const ProfileAttention::Row& ProfileAttention::decodes(std::size_t row) const {
  return decodes_.at(row, [] { return Row(octave::knots_to(longest_context)); });
}

const ProfileAttention::Knot& ProfileAttention::decodes(const Row& in, std::size_t row, std::size_t column) const {
  return in.at(column, [&] {
    const auto sequences = static_cast<std::int64_t>(octave::size(row));  // knots between 1 and 8 repeat
    const KernelTime time = decode_time(in_, sequences, octave::size(column));
    return Knot{.seconds = time.seconds * octave::size(row) / real(sequences), .extrapolated = time.extrapolated};
  });
}

const ProfileAttention::Knot& ProfileAttention::prompt(std::size_t knot) const {
  return prompts_.at(knot, [&] {
    const KernelTime time = prompt_time(in_, std::sqrt(2 * octave::size(knot)));
    return Knot{.seconds = std::max(0.0, time.seconds - shared_launch_s), .extrapolated = time.extrapolated};
  });
}

double ProfileAttention::check_s(double pairs) const {
  const double check_s_per_pair = attention_s(long_prompt, 0) / this->pairs(long_prompt, 0) *
                                  decode_flop_per_pair(in_.llm) / attention_flop_per_pair(in_.llm);
  return check_s_per_pair * pairs;
}

double ProfileAttention::decode_tiles_s(std::int64_t sequences, double mean_context) const {
  return check_s(real(sequences * tile_queries) * mean_context);
}

double ProfileAttention::longest_s(const StepWork& work) const {
  double longest = work.decode_sequences > 0 ? context(work) : 0;
  if (work.prefill_prefix_tokens > 0)
    longest = std::max(longest, span_.reached(work.prompt_chunks()) / real(work.prefill_sequences));
  return check_s(real(tile_queries) * longest) * real(in_.gpu.multiprocessors) / real(heads(in_).q_heads);
}

StageTime ProfileAttention::decode(std::int64_t sequences, double mean_context) const {
  const OctavePoint n = octave::point(real(sequences));
  const OctavePoint context = octave::point(std::min(mean_context, longest_context));
  const std::size_t row = std::min(n.knot, decodes_.size() - 2);
  const double row_part = n.knot > row ? 1 : n.part;
  const auto at = [&](std::size_t knot) {
    const Row& columns = decodes(knot);
    const Knot& shorter = decodes(columns, knot, context.knot);
    const Knot& longer = decodes(columns, knot, context.knot + 1);
    return Knot{.seconds = shorter.seconds + (longer.seconds - shorter.seconds) * context.part,
                .extrapolated = shorter.extrapolated};
  };
  const Knot fewer = at(row);
  const Knot more = at(row + 1);
  const double scale = n.knot > row ? real(sequences) / octave::size(row + 1) : 1;  // more than were tabulated
  return {.seconds = scale * (fewer.seconds + (more.seconds - fewer.seconds) * row_part),
          .extrapolated = n.knot > row || fewer.extrapolated};
}

double ProfileAttention::pairs(std::int64_t tokens, std::int64_t prefix) const {
  return span_.pairs({.tokens = real(tokens),
                      .prefix_tokens = real(prefix),
                      .pairs = real(tokens) * (real(prefix) + 0.5 * real(tokens))});
}

double ProfileAttention::up_projection_s(std::int64_t rows) const {
  const OctavePoint at = octave::point(std::min(real(rows), longest_context));
  const auto knot = [&](std::size_t i) {
    return projections_.at(i, [&] {
      const auto whole = static_cast<std::int64_t>(octave::size(i));
      return up_projection(in_, whole)->seconds * octave::size(i) / real(whole);
    });
  };
  const double fewer_s = knot(at.knot);
  return fewer_s + (knot(at.knot + 1) - fewer_s) * at.part;
}

double ProfileAttention::chunk_s(std::int64_t tokens, std::int64_t prefix) const {
  return attention_s(tokens, prefix) + (absorbs_ ? up_projection_s(tokens + prefix) : 0);
}

double ProfileAttention::attention_s(std::int64_t tokens, std::int64_t prefix) const {
  if (tiled_) tokens = std::max(tokens, std::min(tile_queries, prefix));
  const OctavePoint at = octave::point(std::min(pairs(tokens, prefix), most_pairs));
  const double shorter_s = prompt(at.knot).seconds;
  return shorter_s + (prompt(at.knot + 1).seconds - shorter_s) * at.part;
}

bool ProfileAttention::prompt_extrapolated(double pairs) const {
  return prompt(octave::point(std::min(pairs, most_pairs)).knot).extrapolated;
}

}  // namespace servecast
