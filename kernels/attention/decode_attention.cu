#include "kernels/attention/decode_attention_kernel.h"

namespace servecast {

std::int64_t decode_partial_floats(const DecodeAttention& a, int value_dim) {
  return static_cast<std::int64_t>(a.sequences) * a.q_heads * a.splits * (value_dim + 2);
}

bool decode_attention(const DecodeAttention& a, int head_dim, KvNumber number, KvNumber kv_number, Stream stream) {
  struct Built {
    KvNumber number;
    KvNumber kv_number;
    bool (*start)(const DecodeAttention&, int, Stream);
  };
  constexpr Built all[]{{KvNumber::fp16, KvNumber::fp16, decode::fp16},
                        {KvNumber::bf16, KvNumber::bf16, decode::bf16},
                        {KvNumber::fp16, KvNumber::fp8, decode::fp16_of_fp8},
                        {KvNumber::bf16, KvNumber::fp8, decode::bf16_of_fp8}};
  for (const Built& built : all)
    if (built.number == number && built.kv_number == kv_number) return built.start(a, head_dim, stream);
  return false;
}

bool mla_decode_attention(const DecodeAttention& a, KvNumber number, Stream stream) {
  if (number == KvNumber::fp16)
    decode::start<Half, Half, 576, 512, 32>(a, stream);
  else if (number == KvNumber::bf16)
    decode::start<Bf16, Bf16, 576, 512, 32>(a, stream);
  else
    return false;
  return true;
}

}  // namespace servecast
