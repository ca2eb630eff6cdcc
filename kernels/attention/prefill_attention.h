#pragma once
#include "kernels/attention/paged_kv.h"
#include "kernels/device/stream.h"

namespace servecast {

/// Causal attention of the new tokens of each sequence to its paged KV, in which they lie already: whole prompts, or
/// chunks behind a prefix. Sequences have different lengths and stand one after the other.
struct PrefillAttention {
  PagedKv kv{};
  const void* queries = nullptr;              // [tokens][q_heads][head_dim]
  const std::int32_t* query_start = nullptr;  // [sequences + 1]: where the tokens of each begin
  const std::int32_t* context = nullptr;      // [sequences]: tokens in KV, new ones included
  void* out = nullptr;                        // [tokens][q_heads][head_dim]
  int sequences = 0;
  int q_heads = 0;          // a multiple of kv.kv_heads
  int most_new_tokens = 0;  // of any sequence
  float scale = 1;
};

/// head_dim: 64, 128 or 256; `number`, of everything: fp16 or bf16. False where no kernel is built for these.
bool prefill_attention(const PrefillAttention& attention, int head_dim, KvNumber number, Stream stream);

}  // namespace servecast
