#pragma once
#include <span>
#include <stdexcept>

#include "kernels/attention/paged_kv.h"
#include "tests/unit/kernels/made.h"

namespace servecast {

/// Sequences with KV in blocks that lie scattered in a pool.
struct AttentionSizes {
  std::vector<int> context{};
  int q_heads = 1;
  int kv_heads = 1;
  int key_dim = 64;
  int value_dim = 64;
  int block_tokens = 16;
};

template <class Kv>
class MadeKv {
 public:
  MadeKv(const AttentionSizes& sizes, Rng& rng)
      : sizes_(sizes),
        width_((*std::ranges::max_element(sizes.context) - 1) / sizes.block_tokens + 1),
        keys_(random_array<Kv>(count(sizes.key_dim), rng)),
        values_(random_array<Kv>(count(sizes.value_dim), rng)),
        table_(static_cast<std::size_t>(blocks())) {
    for (int i = 0; i < blocks(); ++i) table_[static_cast<std::size_t>(i)] = (i * 7 + 3) % blocks();
    while (std::gcd(7, blocks()) != 1) throw std::logic_error("blocks would be shared");
    poison_what_is_no_token();
  }
  PagedKv view() {
    return {.keys = keys_.data(),
            .values = values_.data(),
            .block_table = table_.data(),
            .blocks_per_sequence = width_,
            .block_tokens = sizes_.block_tokens,
            .kv_heads = sizes_.kv_heads};
  }
  double key(int sequence, int head, int token, int i) const {
    return keys_.at(row(sequence, head, token) * static_cast<std::size_t>(sizes_.key_dim) +
                    static_cast<std::size_t>(i));
  }
  double value(int sequence, int head, int token, int i) const {
    if (sizes_.value_dim != sizes_.key_dim) return key(sequence, head, token, i);  // MLA
    return values_.at(row(sequence, head, token) * static_cast<std::size_t>(sizes_.value_dim) +
                      static_cast<std::size_t>(i));
  }

 private:
  int blocks() const { return (static_cast<int>(sizes_.context.size()) * width_) / 7 * 7 + 8; }
  std::size_t count(int dim) const {
    return static_cast<std::size_t>(blocks()) * static_cast<std::size_t>(sizes_.kv_heads * sizes_.block_tokens * dim);
  }
  /// The end of a sequence's last block: whatever was there before.
  void poison_what_is_no_token() {
    const auto poison = [&](Array<Kv>& all, int dim, std::size_t row) {
      const auto count = static_cast<std::size_t>(dim);
      std::memset(static_cast<void*>(&all[row * count]), 0xff, count * sizeof(Kv));  // NaN in every format here
    };
    for (int s = 0; s < static_cast<int>(sizes_.context.size()); ++s)
      for (int token = sizes_.context[static_cast<std::size_t>(s)]; token < width_ * sizes_.block_tokens; ++token)
        for (int head = 0; head < sizes_.kv_heads; ++head) {
          poison(keys_, sizes_.key_dim, row(s, head, token));
          poison(values_, sizes_.value_dim, row(s, head, token));
        }
  }
  std::size_t row(int sequence, int head, int token) const {
    const int block = table_[static_cast<std::size_t>(sequence * width_ + token / sizes_.block_tokens)];
    return static_cast<std::size_t>((block * sizes_.kv_heads + head) * sizes_.block_tokens +
                                    token % sizes_.block_tokens);
  }

  AttentionSizes sizes_;
  int width_;
  Array<Kv> keys_;
  Array<Kv> values_;
  Array<std::int32_t> table_;
};

struct Query {
  int sequence = 0;
  int head = 0;     // of queries
  int visible = 0;  // tokens that it attends to
  double scale = 1;
};
/// softmax(scale q K) V of one query, in double.
template <class Number, class Kv>
std::vector<double> attention_reference(const AttentionSizes& sizes, const MadeKv<Kv>& kv, const Query& query,
                                        const Number* numbers) {
  const int head = query.head / (sizes.q_heads / sizes.kv_heads);
  std::vector<double> scores;
  for (int token = 0; token < query.visible; ++token) {
    double score = 0;
    for (int i = 0; i < sizes.key_dim; ++i)
      score += static_cast<double>(to_float(numbers[i])) * kv.key(query.sequence, head, token, i);
    scores.push_back(score * query.scale);
  }
  const double largest = *std::ranges::max_element(scores);
  double sum = 0;
  for (double& score : scores) sum += score = std::exp(score - largest);
  std::vector<double> out(static_cast<std::size_t>(sizes.value_dim));
  for (int token = 0; token < query.visible; ++token)
    for (int i = 0; i < sizes.value_dim; ++i)
      out[static_cast<std::size_t>(i)] +=
          scores[static_cast<std::size_t>(token)] / sum * kv.value(query.sequence, head, token, i);
  return out;
}

template <class Number>
KvNumber kv_number();
template <>
inline KvNumber kv_number<Half>() {
  return KvNumber::fp16;
}
template <>
inline KvNumber kv_number<Bf16>() {
  return KvNumber::bf16;
}
template <>
inline KvNumber kv_number<Fp8>() {
  return KvNumber::fp8;
}

}  // namespace servecast
