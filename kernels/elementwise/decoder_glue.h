#pragma once
#include <cstdint>

#include "kernels/attention/paged_kv.h"
#include "kernels/device/stream.h"

namespace servecast {

/// What a product of queries, keys and values leaves, brought to where attention wants it: queries turned and side by
/// side; keys turned and, with the values, in their sequences' blocks. Rotary embedding pairs the halves of a head
/// (GPT-NeoX's order). Numbers are `bf16`, else fp16; head_dim is a multiple of 16, everything aligned to 16 bytes.
struct QkvSplit {
  const void* qkv = nullptr;                // [tokens][q_heads + 2 kv_heads][head_dim]
  void* queries = nullptr;                  // [tokens][q_heads][head_dim]
  PagedKv kv{};                             // its keys and values are written
  const std::int32_t* rows = nullptr;       // [tokens]: of kv.block_table, the token's sequence
  const std::int32_t* positions = nullptr;  // [tokens]: in that sequence
  const float* cos_sin = nullptr;           // [positions][head_dim]: half of it cosines, then as many sines
  int tokens = 0;
  int q_heads = 0;
  int head_dim = 0;
};
void split_qkv(const QkvSplit& split, bool bf16, Stream stream);

/// to[i] = from[i] as 32-bit numbers; `count` is a multiple of 8.
struct Widen {
  const void* from = nullptr;
  float* to = nullptr;
  std::int64_t count = 0;
};
void widen(const Widen& widen, bool bf16, Stream stream);

}  // namespace servecast
