#pragma once
#include <cstdint>

namespace servecast {

/// Into how many parts work of `blocks` blocks is split, each of at least one of `pieces`, so that all SMs have two.
int splits_for(std::int64_t blocks, std::int64_t pieces, int processors);

/// Into how many parts the depth of a product of m x n x k is split: of few rows, so that all SMs have two blocks.
int product_splits(std::int64_t m, std::int64_t n, std::int64_t k, int processors);

/// The most numbers that the parts of any product have that is split and has no more columns than `n`.
std::int64_t product_parts(std::int64_t n, int processors);

/// The same for the KV of sequences that decode, of which the longest has `context` tokens.
struct DecodeSize {
  std::int64_t sequences = 0;
  std::int64_t q_heads = 0;
  std::int64_t kv_heads = 0;
  std::int64_t context = 0;
};
int decode_splits(const DecodeSize& size, int processors);
/// The most sequences times splits, of so many sequences or fewer.
std::int64_t most_decode_splits(std::int64_t sequences, int processors);

}  // namespace servecast
