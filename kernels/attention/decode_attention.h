#pragma once
#include "kernels/attention/paged_kv.h"
#include "kernels/device/stream.h"

namespace servecast {

/// One new token per sequence attends to its paged KV (flash decoding): the KV of a sequence is split over `splits`
/// blocks of threads, whose parts a second kernel puts together. Queries of one KV head share its tiles, 16 at a
/// time, as rows of the matrix instructions.
struct DecodeAttention {
  PagedKv kv{};
  const void* queries = nullptr;          // [sequences][q_heads][head_dim]
  const std::int32_t* context = nullptr;  // [sequences]: tokens in KV, at least 1
  void* out = nullptr;                    // [sequences][q_heads][head_dim], of MLA [..][512]
  float* partial = nullptr;               // decode_partial_floats(): what splits leave; unused with one
  int sequences = 0;
  int q_heads = 0;  // a multiple of kv.kv_heads
  int splits = 1;
  float scale = 1;      // of scores, 1 / sqrt(head_dim) as a rule
  float key_scale = 1;  // what stored keys are to be multiplied with (fp8)
  float value_scale = 1;
};

std::int64_t decode_partial_floats(const DecodeAttention& attention, int value_dim);

/// head_dim: 64, 128 or 256. `number`: of queries and output, fp16 or bf16; KV is the same or fp8. False where no
/// kernel is built for these.
bool decode_attention(const DecodeAttention& attention, int head_dim, KvNumber number, KvNumber kv_number,
                      Stream stream);

/// Attention over the latent of MLA (DeepSeek-V2, section 2.1) with the projections absorbed: keys are 512 latent +
/// 64 rope numbers, values the same 512. `kv.values` is not used; `number` of KV too.
bool mla_decode_attention(const DecodeAttention& attention, KvNumber number, Stream stream);

}  // namespace servecast
