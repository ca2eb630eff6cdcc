#include "models/hw/roofline/derived_attention.h"

#include <algorithm>

#include "models/base/counts.h"

namespace servecast {
namespace {

double chunked_flop_per_token(const LinearAttention& a) {
  constexpr double chunk = 64;
  const double inside = 2 * chunk * real(a.key_size + a.value_size);
  return 2 * real(a.value_heads) * (inside + 3 * real(a.key_size * a.value_size));
}

}  // namespace

DerivedAttention::DerivedAttention(const Gpu& gpu, const Llm& llm, const Shape& shape)
    : decode_(gpu.kernels.value().decode_attention), flop_per_s_(gpu.kernels->prefill_attention.flop_per_s) {
  if (llm.linear) {
    state_bytes_ = linear_state_bytes(*llm.linear) / real(shape.tensor_parallel);
    linear_flop_per_token_ = chunked_flop_per_token(*llm.linear) / real(shape.tensor_parallel);
  }
  if (llm.sparse) {  // whole on every GPU
    index_bytes_per_token_ = index_key_bytes(*llm.sparse);
    index_flop_per_pair_ = 2 * real(llm.sparse->heads * llm.sparse->head_size);
  }
}

StageTime DerivedAttention::time(double bytes, double flop) const {
  const double read_s = bytes / decode_.bytes_per_s;
  const double math_s = flop / flop_per_s_;
  return {.seconds = decode_.launch_s + std::max(read_s, math_s),
          .compute_s = math_s > read_s ? math_s : 0,
          .extrapolated = true};
}

StageTime DerivedAttention::linear_decodes(std::int64_t sequences) const {
  return time(2 * real(sequences) * state_bytes_, 0);
}

double DerivedAttention::linear_chunk_s(std::int64_t tokens) const {
  return time(2 * state_bytes_, real(tokens) * linear_flop_per_token_).seconds;
}

StageTime DerivedAttention::index_decodes(std::int64_t kv_tokens, std::int64_t sequences) const {
  return time(real(kv_tokens) * index_bytes_per_token_, real(kv_tokens + sequences) * index_flop_per_pair_);
}

double DerivedAttention::index_chunk_s(std::int64_t pairs) const {
  return time(0, real(pairs) * index_flop_per_pair_).seconds;
}

}  // namespace servecast
