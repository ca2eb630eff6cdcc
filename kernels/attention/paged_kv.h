#pragma once
#include <cstdint>

namespace servecast {

/// Keys or values of all sequences in blocks: [blocks][kv_heads][block_tokens][head_dim] in `pool`. Block b of
/// sequence s is block_table[s * blocks_per_sequence + b]. Addresses and rows of 16 bytes are aligned.
struct PagedKv {
  const void* keys = nullptr;
  const void* values = nullptr;
  const std::int32_t* block_table = nullptr;
  int blocks_per_sequence = 0;  // width of the table
  int block_tokens = 0;
  int kv_heads = 0;
};

enum class KvNumber { fp16, bf16, fp8 };

}  // namespace servecast
