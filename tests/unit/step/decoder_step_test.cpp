// The wiring of a decoder step: kernels executed on the host against a reference in double that does not use them.
#include "calibrate/decoder/decoder_step.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "calibrate/step/block_tables.h"
#include "calibrate/step/decoder_shape.h"
#include "kernels/device/device.h"
#include "tests/unit/step/host_device.h"

namespace servecast::decoder_step_test {

using Numbers = std::vector<double>;

constexpr int block_tokens = 16;

double number(const void* numbers, std::int64_t i) {
  return static_cast<double>(to_float(static_cast<const Bf16*>(numbers)[i]));
}

Numbers times(const Numbers& x, const void* weights, int columns) {
  const auto depth = std::ssize(x);
  Numbers out;
  for (int c = 0; c < columns; ++c) {
    double sum = 0;
    for (std::int64_t i = 0; i < depth; ++i) sum += x[static_cast<std::size_t>(i)] * number(weights, c * depth + i);
    out.push_back(sum);
  }
  return out;
}

Numbers normed(const Numbers& x, const void* weight) {
  double squares = 0;
  for (const double value : x) squares += value * value;
  Numbers out;
  for (std::size_t i = 0; i < x.size(); ++i)
    out.push_back(x[i] / std::sqrt(squares / static_cast<double>(x.size()) + 1e-6) *
                  number(weight, static_cast<std::int64_t>(i)));
  return out;
}

void add(Numbers& to, const Numbers& from) {
  for (std::size_t i = 0; i < to.size(); ++i) to[i] += from[i];
}

/// A head of `dim` numbers at a position.
Numbers turned(const Numbers& head, std::int64_t position) {
  const std::size_t half = head.size() / 2;
  Numbers out(head.size());
  for (std::size_t i = 0; i < half; ++i) {
    const double turn =
        static_cast<double>(position) * std::pow(10'000.0, -static_cast<double>(i) / static_cast<double>(half));
    out[i] = head[i] * std::cos(turn) - head[i + half] * std::sin(turn);
    out[i + half] = head[i + half] * std::cos(turn) + head[i] * std::sin(turn);
  }
  return out;
}

/// Keys or values of one head: [token][head_dim].
using Rows = std::vector<Numbers>;

/// One sequence through all layers, token by token.
class Reference {
 public:
  Reference(const DecoderShape& shape, const DecoderStep& step, const BlockTables& blocks, const StepPart& part)
      : s_(shape), step_(step), part_(part) {
    for (const DecoderStep::Layer& layer : step.layers())
      for (int head = 0; head < s_.kv_heads; ++head) {
        keys_.push_back(cached(layer.keys, blocks, head));
        values_.push_back(cached(layer.values, blocks, head));
      }
  }

  /// Its logits after these tokens.
  Numbers logits(const std::vector<std::int32_t>& tokens) {
    Numbers out;
    for (std::size_t i = 0; i < tokens.size(); ++i)
      out = token(tokens[i], part_.before_tokens + static_cast<std::int64_t>(i));
    return out;
  }

 private:
  Rows cached(const void* pool, const BlockTables& blocks, int head) const {
    Rows rows;
    for (std::int64_t t = 0; t < part_.before_tokens; ++t) {
      const std::int64_t block = blocks.of(part_.sequence)[static_cast<std::size_t>(t / block_tokens)];
      const std::int64_t row = (block * s_.kv_heads + head) * block_tokens + t % block_tokens;
      Numbers numbers;
      for (int i = 0; i < s_.head_dim; ++i) numbers.push_back(number(pool, row * s_.head_dim + i));
      rows.push_back(numbers);
    }
    return rows;
  }

  Numbers head_of(const Numbers& qkv, int head) const {
    return {qkv.begin() + head * s_.head_dim, qkv.begin() + (head + 1) * s_.head_dim};
  }

  Numbers attended(const Numbers& query, const Rows& keys, const Rows& values) const {
    Numbers out(query.size());
    double sum = 0;
    for (std::size_t t = 0; t < keys.size(); ++t) {
      double score = 0;
      for (std::size_t i = 0; i < query.size(); ++i) score += query[i] * keys[t][i];
      const double weight = std::exp(score / std::sqrt(static_cast<double>(s_.head_dim)));
      sum += weight;
      for (std::size_t i = 0; i < out.size(); ++i) out[i] += weight * values[t][i];
    }
    for (double& value : out) value /= sum;
    return out;
  }

  Numbers attention(const Numbers& x, std::size_t layer, std::int64_t position) {
    const DecoderStep::Layer& weights = step_.layers()[layer];
    const Numbers qkv = times(x, weights.qkv, s_.qkv_width());
    Numbers all;
    for (int head = 0; head < s_.kv_heads; ++head) {
      const std::size_t at = layer * static_cast<std::size_t>(s_.kv_heads) + static_cast<std::size_t>(head);
      keys_[at].push_back(turned(head_of(qkv, s_.q_heads + head), position));
      values_[at].push_back(head_of(qkv, s_.q_heads + s_.kv_heads + head));
    }
    for (int head = 0; head < s_.q_heads; ++head) {
      const auto kv_head = static_cast<std::size_t>(head / (s_.q_heads / s_.kv_heads));
      const std::size_t at = layer * static_cast<std::size_t>(s_.kv_heads) + kv_head;
      const Numbers one = attended(turned(head_of(qkv, head), position), keys_[at], values_[at]);
      all.insert(all.end(), one.begin(), one.end());
    }
    return times(all, weights.out, s_.hidden);
  }

  Numbers mlp(const Numbers& x, const DecoderStep::Layer& weights) const {
    const Numbers both = times(x, weights.gate_up, 2 * s_.intermediate);
    Numbers active;
    const auto width = static_cast<std::size_t>(s_.intermediate);
    for (std::size_t i = 0; i < width; ++i) active.push_back(both[i] / (1 + std::exp(-both[i])) * both[i + width]);
    return times(active, weights.down, s_.hidden);
  }

  Numbers token(std::int32_t id, std::int64_t position) {
    Numbers residual;
    for (int i = 0; i < s_.hidden; ++i)
      residual.push_back(number(step_.embedding(), std::int64_t{id} * s_.hidden + i));
    for (std::size_t l = 0; l < step_.layers().size(); ++l) {
      add(residual, attention(normed(residual, step_.layers()[l].first_norm), l, position));
      add(residual, mlp(normed(residual, step_.layers()[l].second_norm), step_.layers()[l]));
    }
    return times(normed(residual, step_.last_norm()), step_.head(), s_.vocabulary);
  }

  const DecoderShape& s_;
  const DecoderStep& step_;
  StepPart part_;
  std::vector<Rows> keys_{};  // [layer][head]
  std::vector<Rows> values_{};
};

double error_of(const float* made, const Numbers& reference) {
  double wrong = 0;
  double whole = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    wrong += std::pow(static_cast<double>(made[i]) - reference[i], 2);
    whole += reference[i] * reference[i];
  }
  return std::sqrt(wrong / whole);
}

/// Threads backwards and copies early, then forwards and late: where a kernel does not wait for another's memory, or
/// a barrier is missing, the logits differ.
void start_in_both_orders(DecoderStep& step, const DecoderShape& shape) {
  emulation::order = emulation::Order::backward;
  emulation::copies = emulation::Copies::early;
  step.start();
  const std::size_t count = step.made().size() * static_cast<std::size_t>(shape.vocabulary);
  const std::vector<float> backward(step.logits(), step.logits() + count);
  emulation::order = emulation::Order::forward;
  emulation::copies = emulation::Copies::late;
  step.start();
  EXPECT_EQ(std::memcmp(backward.data(), step.logits(), count * sizeof(float)), 0);
}

constexpr DecoderShape tiny{
    .layers = 2, .hidden = 128, .q_heads = 4, .kv_heads = 2, .head_dim = 64, .intermediate = 192, .vocabulary = 72};

/// Runs these parts in one step and compares the logits of those that emit.
void check(const DecoderShape& shape, const std::vector<StepPart>& given) {
  const StepLimits limits{
      .tokens = 64, .sequences = 8, .context = 128, .kv_blocks = 40, .block_tokens = block_tokens};
  HostDevice device;
  DecoderStep step(shape, limits, device);
  EXPECT_LE(device.taken, decoder_bytes(shape, limits, device.processors()) + 4096);
  EXPECT_GE(device.taken, decoder_bytes(shape, limits, device.processors()) * 9 / 10);
  const std::vector<StepPart> parts = in_kernel_order(given);
  BlockTables blocks(limits.kv_blocks, block_tokens);
  for (std::int64_t i = 0; i < 4; ++i) blocks.hold(100 + i, 20 * (i + 1));  // another sequence was here, and left
  for (std::int64_t i = 0; i < 4; ++i) blocks.release(100 + i);
  for (const StepPart& part : parts) blocks.hold(part.sequence, part.before_tokens + part.tokens);
  std::vector<Reference> references;
  std::vector<std::int32_t> ids;
  for (const StepPart& part : parts) {
    references.emplace_back(shape, step, blocks, part);
    for (std::int64_t i = 0; i < part.tokens; ++i)
      ids.push_back(static_cast<std::int32_t>((part.sequence * 13 + i * 7) % shape.vocabulary));
  }
  step.load(arrays_of(parts, blocks), ids);
  start_in_both_orders(step, shape);
  const std::vector<std::int32_t> made = step.made();
  auto next = ids.begin();
  std::size_t emitted = 0;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto end = next + parts[i].tokens;
    const Numbers reference = references[i].logits({next, end});
    next = end;
    if (!parts[i].emits) continue;
    const float* logits = step.logits() + emitted * static_cast<std::size_t>(shape.vocabulary);
    EXPECT_LT(error_of(logits, reference), 0.03) << "sequence " << parts[i].sequence;
    EXPECT_EQ(made[emitted], std::max_element(logits, logits + shape.vocabulary) - logits);
    ++emitted;
  }
  EXPECT_EQ(made.size(), emitted);
}

TEST(DecoderStep, DecodesAndPromptsOfDifferentLengthsTogether) {
  check(tiny, {{.sequence = 1, .before_tokens = 0, .tokens = 19, .emits = true},
               {.sequence = 2, .before_tokens = 33, .tokens = 1, .decodes = true, .emits = true},
               {.sequence = 3, .before_tokens = 17, .tokens = 9, .emits = false},
               {.sequence = 4, .before_tokens = 5, .tokens = 1, .decodes = true, .emits = true},
               {.sequence = 5, .before_tokens = 31, .tokens = 4, .emits = true}});
}

TEST(DecoderStep, DecodesAlone) {
  check(tiny, {{.sequence = 1, .before_tokens = 15, .tokens = 1, .decodes = true, .emits = true},
               {.sequence = 2, .before_tokens = 16, .tokens = 1, .decodes = true, .emits = true}});
}

TEST(DecoderStep, PromptsAlone) {
  check(tiny, {{.sequence = 1, .before_tokens = 0, .tokens = 16, .emits = true},
               {.sequence = 2, .before_tokens = 16, .tokens = 17, .emits = true}});
}

// No sequence leaves with a token: a chunk in the middle of a prompt.
TEST(DecoderStep, MayEmitNothing) { check(tiny, {{.sequence = 1, .before_tokens = 0, .tokens = 8}}); }

TEST(DecoderShape, OfAShardOfATensorParallelGroup) {
  const Llm llm{.name = "made",
                .layers = 32,
                .hidden = 4096,
                .heads = 32,
                .kv_heads = 8,
                .head_size = 128,
                .vocabulary = 128'256,
                .intermediate = 14'336};
  EXPECT_EQ(cannot_run(llm, 4), std::nullopt);
  const DecoderShape shape = decoder_shape(shard_of(llm, 4, 2));
  EXPECT_EQ(shape.layers, 2);
  EXPECT_EQ(shape.hidden, 4096);
  EXPECT_EQ(shape.q_width(), 1024);
  EXPECT_EQ(shape.qkv_width(), 1536);
  EXPECT_EQ(shape.intermediate, 3584);
  EXPECT_EQ(shape.vocabulary, 32'064);
  EXPECT_NE(cannot_run(llm, 3), std::nullopt);
  Llm biased = llm;
  biased.qkv_bias = true;
  EXPECT_EQ(cannot_run(biased, 1), "made has biases, for which there is no step of our kernels");
}

// Blocks given back last are handed out first.
TEST(BlockTables, HandOutWhatWasGivenBack) {
  BlockTables blocks(6, 16);
  blocks.hold(1, 17);
  blocks.hold(2, 16);
  EXPECT_EQ(blocks.free_blocks(), 3);
  blocks.release(1);
  blocks.hold(3, 33);
  EXPECT_EQ((std::vector<std::int32_t>{blocks.of(3).begin(), blocks.of(3).end()}),
            (std::vector<std::int32_t>{1, 0, 3}));
  blocks.hold(3, 40);  // has room
  EXPECT_EQ(blocks.free_blocks(), 2);
  blocks.release(9);  // never held any
  EXPECT_EQ(blocks.free_blocks(), 2);
}

}  // namespace servecast::decoder_step_test
