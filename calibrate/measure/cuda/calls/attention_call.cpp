#include <cmath>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/step/block_tables.h"
#include "calibrate/step/splits.h"
#include "kernels/attention/decode_attention.h"
#include "kernels/attention/prefill_attention.h"
#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr std::int64_t query_rows = 16;  // of one KV head that a block of threads takes

/// KV of sequences of one length.
class CachedKv {
 public:
  CachedKv(const KernelShape& s, std::int64_t key_dim, bool has_values, Random number, Rng& rng)
      : blocks_(divided_up(s.context, measured_block_tokens)),
        keys_(random_buffer(s.sequences * blocks_ * measured_block_tokens * s.kv_heads * key_dim, number, rng)),
        values_(random_buffer(has_values ? keys_count(s, key_dim) : 1, number, rng)),
        table_(copy_of(scattered(s.sequences * blocks_, rng))),
        context_(copy_of(std::vector(static_cast<std::size_t>(s.sequences), static_cast<std::int32_t>(s.context)))),
        heads_(static_cast<int>(s.kv_heads)) {}

  PagedKv view() const {
    return {.keys = keys_.data(),
            .values = values_.data(),
            .block_table = static_cast<std::int32_t*>(table_.data()),
            .blocks_per_sequence = static_cast<int>(blocks_),
            .block_tokens = measured_block_tokens,
            .kv_heads = heads_};
  }
  const std::int32_t* context() const { return static_cast<std::int32_t*>(context_.data()); }
  std::int64_t bytes() const { return keys_.bytes() + values_.bytes(); }

 private:
  std::int64_t keys_count(const KernelShape& s, std::int64_t key_dim) const {
    return s.sequences * blocks_ * measured_block_tokens * s.kv_heads * key_dim;
  }
  std::int64_t blocks_;
  DeviceBuffer keys_;
  DeviceBuffer values_;
  DeviceBuffer table_;
  DeviceBuffer context_;
  int heads_;
};

class DecodeCall final : public Call {
 public:
  struct Dims {
    std::int64_t key = 0;
    std::int64_t value = 0;
    KvNumber kv_number = KvNumber::bf16;
    std::int64_t tile_tokens = 64;
  };
  DecodeCall(const KernelShape& s, const Dims& dims, const CallContext& context)
      : dims_(dims),
        kv_(s, dims.key, dims.key == dims.value, dims.kv_number == KvNumber::fp8 ? Random::fp8 : Random::bf16,
            context.rng),
        queries_(random_buffer(s.sequences * s.q_heads * dims.key, Random::bf16, context.rng)),
        out_(s.sequences * s.q_heads * dims.value * 2),
        attention_{.kv = kv_.view(),
                   .queries = queries_.data(),
                   .context = kv_.context(),
                   .out = out_.data(),
                   .sequences = static_cast<int>(s.sequences),
                   .q_heads = static_cast<int>(s.q_heads),
                   .splits = splits(s, dims, context.processors),
                   .scale = 1 / std::sqrt(static_cast<float>(dims.key))},
        partial_(4 * decode_partial_floats(attention_, static_cast<int>(dims.value))) {
    attention_.partial = static_cast<float*>(partial_.data());
  }
  void start(Stream stream) override {
    if (dims_.key != dims_.value)
      mla_decode_attention(attention_, KvNumber::bf16, stream);
    else
      decode_attention(attention_, static_cast<int>(dims_.key), KvNumber::bf16, dims_.kv_number, stream);
  }
  std::int64_t bytes() const override { return kv_.bytes(); }

 private:
  static int splits(const KernelShape& s, const Dims& dims, int processors) {
    const std::int64_t row_blocks = (s.q_heads / s.kv_heads + query_rows - 1) / query_rows;
    return splits_for(s.sequences * s.kv_heads * row_blocks, s.context / (2 * dims.tile_tokens), processors);
  }
  Dims dims_;
  CachedKv kv_;
  DeviceBuffer queries_;
  DeviceBuffer out_;
  DecodeAttention attention_;
  DeviceBuffer partial_;
};

class PrefillCall final : public Call {
 public:
  PrefillCall(const KernelShape& s, const CallContext& context)
      : head_dim_(static_cast<int>(s.head_dim)),
        kv_(s, s.head_dim, true, Random::bf16, context.rng),
        queries_(random_buffer(s.sequences * s.tokens * s.q_heads * s.head_dim, Random::bf16, context.rng)),
        start_(copy_of(starts(s))),
        out_(queries_.bytes()),
        attention_{.kv = kv_.view(),
                   .queries = queries_.data(),
                   .query_start = static_cast<std::int32_t*>(start_.data()),
                   .context = kv_.context(),
                   .out = out_.data(),
                   .sequences = static_cast<int>(s.sequences),
                   .q_heads = static_cast<int>(s.q_heads),
                   .most_new_tokens = static_cast<int>(s.tokens),
                   .scale = 1 / std::sqrt(static_cast<float>(s.head_dim))} {}
  void start(Stream stream) override { prefill_attention(attention_, head_dim_, KvNumber::bf16, stream); }
  std::int64_t bytes() const override { return kv_.bytes() + 2 * queries_.bytes(); }

 private:
  static std::vector<std::int32_t> starts(const KernelShape& s) {
    std::vector<std::int32_t> all;
    for (std::int64_t i = 0; i <= s.sequences; ++i) all.push_back(static_cast<std::int32_t>(i * s.tokens));
    return all;
  }
  int head_dim_;
  CachedKv kv_;
  DeviceBuffer queries_;
  DeviceBuffer start_;
  DeviceBuffer out_;
  PrefillAttention attention_;
};

}  // namespace

std::unique_ptr<Call> make_attention(const MeasureTarget& target, const CallContext& context) {
  const KernelShape& s = target.shape;
  if (target.op == "prefill_attention") return std::make_unique<PrefillCall>(s, context);
  if (target.op == "mla_decode")
    return std::make_unique<DecodeCall>(s, DecodeCall::Dims{.key = s.n, .value = s.k, .tile_tokens = 32}, context);
  const KvNumber number = target.kv_dtype == "fp8" ? KvNumber::fp8 : KvNumber::bf16;
  return std::make_unique<DecodeCall>(
      s, DecodeCall::Dims{.key = s.head_dim, .value = s.head_dim, .kv_number = number}, context);
}

}  // namespace servecast
