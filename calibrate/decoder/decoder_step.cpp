#include "calibrate/decoder/decoder_step.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "calibrate/step/splits.h"
#include "kernels/attention/decode_attention.h"
#include "kernels/attention/kv_gather.h"
#include "kernels/attention/prefill_attention.h"
#include "kernels/elementwise/decoder_glue.h"
#include "kernels/elementwise/elementwise.h"
#include "kernels/gemm/gemm.h"
#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr std::int64_t number_bytes = 2;
constexpr double rope_base = 10'000;  // RoFormer, arXiv 2104.09864, section 3.2.2

std::int64_t widest(const DecoderShape& s) {
  return std::max({s.qkv_width(), s.hidden, 2 * s.intermediate, s.vocabulary});
}

std::int64_t kv_numbers(const DecoderShape& s, const StepLimits& l) {
  return l.kv_blocks * l.block_tokens * s.kv_heads * s.head_dim;
}

std::int64_t table_width(const StepLimits& l) { return divided_up(l.context, l.block_tokens); }

/// By token: its id, its row and its position. By sequence: context, beginning, whether it emits, and its blocks.
std::int64_t loaded_numbers(const StepLimits& l) { return 3 * l.tokens + l.sequences * (3 + table_width(l)) + 1; }

std::int64_t weights_of_layer(const DecoderShape& s) {
  return std::int64_t{s.hidden} * (s.qkv_width() + s.q_width() + 3 * std::int64_t{s.intermediate} + 2);
}

std::int64_t numbers_of_token(const DecoderShape& s) {
  return 3 * s.hidden + s.qkv_width() + 2 * s.q_width() + 3 * s.intermediate;
}

std::int64_t attention_parts(const DecoderShape& s, const StepLimits& l, int processors) {
  return most_decode_splits(l.sequences, processors) * s.q_heads * (s.head_dim + 2);
}

/// Such that what comes out of a product is about as large as what goes in.
double span_of(int depth) { return std::sqrt(3.0 / depth); }

}  // namespace

std::int64_t decoder_bytes(const DecoderShape& s, const StepLimits& l, int processors) {
  const std::int64_t vocabulary = 2 * std::int64_t{s.vocabulary} * s.hidden;
  const std::int64_t kept = s.layers * (weights_of_layer(s) + 2 * kv_numbers(s, l)) + vocabulary;
  const std::int64_t by_sequence = s.hidden + 3 * std::int64_t{s.vocabulary};
  const std::int64_t wide = product_parts(widest(s), processors) + attention_parts(s, l, processors) +
                            l.context * s.head_dim + loaded_numbers(l);
  return number_bytes * (kept + l.tokens * numbers_of_token(s) + l.sequences * by_sequence) + 4 * wide;
}

DecoderStep::DecoderStep(const DecoderShape& shape, const StepLimits& limits, KernelDevice& device)
    : shape_(shape), limits_(limits), device_(device) {
  make_weights();
  make_cache();
  make_room();
  make_positions();
}

void DecoderStep::make_weights() {
  const auto norm = [&] { return device_.random_numbers(shape_.hidden, 1); };
  const auto weights = [&](int columns, int depth) {
    return device_.random_numbers(std::int64_t{columns} * depth, span_of(depth));
  };
  for (int i = 0; i < shape_.layers; ++i)
    layers_.push_back({.first_norm = norm(),
                       .qkv = weights(shape_.qkv_width(), shape_.hidden),
                       .out = weights(shape_.hidden, shape_.q_width()),
                       .second_norm = norm(),
                       .gate_up = weights(2 * shape_.intermediate, shape_.hidden),
                       .down = weights(shape_.hidden, shape_.intermediate)});
  embedding_ = device_.random_numbers(std::int64_t{shape_.vocabulary} * shape_.hidden, 1);
  last_norm_ = norm();
  head_ = weights(shape_.vocabulary, shape_.hidden);
}

// After the weights, so that these do not depend on how much KV there is.
void DecoderStep::make_cache() {
  for (Layer& layer : layers_) {
    layer.keys = device_.random_numbers(kv_numbers(shape_, limits_), 1);
    layer.values = device_.random_numbers(kv_numbers(shape_, limits_), 1);
  }
}

void DecoderStep::make_room() {
  const auto by_token = [&](std::int64_t width) { return device_.room(limits_.tokens * width * number_bytes); };
  const auto by_sequence = [&](std::int64_t width) { return device_.room(limits_.sequences * width * number_bytes); };
  residual_ = by_token(shape_.hidden);
  normed_ = by_token(shape_.hidden);
  x_ = by_token(shape_.hidden);
  qkv_ = by_token(shape_.qkv_width());
  queries_ = by_token(shape_.q_width());
  attended_ = by_token(shape_.q_width());
  gate_up_ = by_token(2 * shape_.intermediate);
  activated_ = by_token(shape_.intermediate);
  last_ = by_sequence(shape_.hidden);
  narrow_logits_ = by_sequence(shape_.vocabulary);
  logits_ = float_room(limits_.sequences * shape_.vocabulary);
  made_ = int_room(limits_.sequences);
  product_parts_ = float_room(product_parts(widest(shape_), device_.processors()));
  attention_parts_ = float_room(attention_parts(shape_, limits_, device_.processors()));
  loaded_ = int_room(loaded_numbers(limits_));
}

float* DecoderStep::float_room(std::int64_t count) { return static_cast<float*>(device_.room(count * 4)); }
std::int32_t* DecoderStep::int_room(std::int64_t count) {
  return static_cast<std::int32_t*>(device_.room(count * 4));
}

void DecoderStep::make_positions() {
  const auto width = static_cast<std::size_t>(shape_.head_dim);
  std::vector<float> table(static_cast<std::size_t>(limits_.context) * width);
  for (std::size_t i = 0; i < table.size(); ++i) {
    const std::size_t at = i % width % (width / 2);
    const double turn = static_cast<double>(i / width) *
                        std::pow(rope_base, -2.0 * static_cast<double>(at) / static_cast<double>(width));
    table[i] = static_cast<float>(i % width < width / 2 ? std::cos(turn) : std::sin(turn));
  }
  cos_sin_ = float_room(std::ssize(table));
  device_.copy_in(cos_sin_, std::as_bytes(std::span(table)));
}

void DecoderStep::load(const StepArrays& arrays, std::span<const std::int32_t> token_ids) {
  assert(arrays.tokens() <= limits_.tokens && arrays.sequences() <= limits_.sequences);
  assert(arrays.blocks_per_sequence <= table_width(limits_) && std::ssize(token_ids) == arrays.tokens());
  now_ = arrays;
  std::vector<std::int32_t> all;  // in one copy
  const auto add = [&](std::span<const std::int32_t> numbers) {
    const std::int32_t* at = loaded_ + all.size();
    all.insert(all.end(), numbers.begin(), numbers.end());
    return at;
  };
  token_ids_ = add(token_ids);
  token_rows_ = add(now_.token_rows);
  positions_ = add(now_.positions);
  context_ = add(now_.context);
  prompt_start_ = add(now_.prompt_start);
  emitting_ = add(now_.emitting);
  table_ = add(now_.table);
  device_.copy_in(loaded_, std::as_bytes(std::span(all)));
}

void DecoderStep::multiply(const Product& p) {
  gemm({.a = p.a,
        .weights = p.weights,
        .out = p.out,
        .partial = product_parts_,
        .m = p.rows,
        .n = p.columns,
        .k = p.depth,
        .splits = product_splits(p.rows, p.columns, p.depth, device_.processors())},
       GemmKind::plain, true, device_.stream());
}

void DecoderStep::norm(const void* x, void* residual, const void* weight) {
  rms_norm(
      {.x = x, .residual = residual, .weight = weight, .out = normed_, .rows = now_.tokens(), .size = shape_.hidden},
      true, device_.stream());
}

PagedKv DecoderStep::kv(const Layer& layer, int first_row) const {
  return {.keys = layer.keys,
          .values = layer.values,
          .block_table = table_ + std::int64_t{first_row} * now_.blocks_per_sequence,
          .blocks_per_sequence = now_.blocks_per_sequence,
          .block_tokens = static_cast<int>(limits_.block_tokens),
          .kv_heads = shape_.kv_heads};
}

void DecoderStep::attend(const Layer& layer) {
  const float scale = 1 / std::sqrt(static_cast<float>(shape_.head_dim));
  if (now_.decodes > 0) {
    const DecodeSize size{.sequences = now_.decodes,
                          .q_heads = shape_.q_heads,
                          .kv_heads = shape_.kv_heads,
                          .context = now_.most_context};
    decode_attention({.kv = kv(layer, 0),
                      .queries = queries_,
                      .context = context_,
                      .out = attended_,
                      .partial = attention_parts_,
                      .sequences = now_.decodes,
                      .q_heads = shape_.q_heads,
                      .splits = decode_splits(size, device_.processors()),
                      .scale = scale},
                     shape_.head_dim, KvNumber::bf16, KvNumber::bf16, device_.stream());
  }
  if (now_.prompts == 0) return;
  const std::int64_t behind = std::int64_t{now_.decodes} * shape_.q_width() * number_bytes;
  prefill_attention({.kv = kv(layer, now_.decodes),
                     .queries = static_cast<std::byte*>(queries_) + behind,
                     .query_start = prompt_start_,
                     .context = context_ + now_.decodes,
                     .out = static_cast<std::byte*>(attended_) + behind,
                     .sequences = now_.prompts,
                     .q_heads = shape_.q_heads,
                     .most_new_tokens = now_.most_new_tokens,
                     .scale = scale},
                    shape_.head_dim, KvNumber::bf16, device_.stream());
}

void DecoderStep::pass(const Layer& layer) {
  const int tokens = now_.tokens();
  multiply({normed_, layer.qkv, qkv_, tokens, shape_.qkv_width(), shape_.hidden});
  split_qkv({.qkv = qkv_,
             .queries = queries_,
             .kv = kv(layer, 0),
             .rows = token_rows_,
             .positions = positions_,
             .cos_sin = cos_sin_,
             .tokens = tokens,
             .q_heads = shape_.q_heads,
             .head_dim = shape_.head_dim},
            true, device_.stream());
  attend(layer);
  multiply({attended_, layer.out, x_, tokens, shape_.hidden, shape_.q_width()});
  norm(x_, residual_, layer.second_norm);
  multiply({normed_, layer.gate_up, gate_up_, tokens, 2 * shape_.intermediate, shape_.hidden});
  silu_mul({.x = gate_up_, .out = activated_, .rows = tokens, .size = shape_.intermediate}, true, device_.stream());
  multiply({activated_, layer.down, x_, tokens, shape_.hidden, shape_.intermediate});
}

void DecoderStep::start() {
  const std::int64_t row_bytes = shape_.hidden * number_bytes;
  gather_blocks(
      {.from = embedding_, .to = residual_, .blocks = token_ids_, .count = now_.tokens(), .block_bytes = row_bytes},
      device_.stream());
  norm(residual_, nullptr, layers_.front().first_norm);
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    pass(layers_[i]);
    norm(x_, residual_, i + 1 < layers_.size() ? layers_[i + 1].first_norm : last_norm_);
  }
  if (!now_.emitting.empty()) emit();
}

void DecoderStep::emit() {
  const auto rows = static_cast<int>(now_.emitting.size());
  gather_blocks(
      {.from = normed_, .to = last_, .blocks = emitting_, .count = rows, .block_bytes = shape_.hidden * number_bytes},
      device_.stream());
  multiply({last_, head_, narrow_logits_, rows, shape_.vocabulary, shape_.hidden});
  widen({.from = narrow_logits_, .to = logits_, .count = std::int64_t{rows} * shape_.vocabulary}, true,
        device_.stream());
  sample_tokens({.logits = logits_, .tokens = made_, .rows = rows, .size = shape_.vocabulary}, device_.stream());
}

std::vector<std::int32_t> DecoderStep::made() {
  std::vector<std::int32_t> tokens(now_.emitting.size());
  device_.wait();
  if (!tokens.empty()) device_.copy_out(std::as_writable_bytes(std::span(tokens)), made_);
  return tokens;
}

}  // namespace servecast
