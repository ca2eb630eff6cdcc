#include "calibrate/step/splits.h"

#include <algorithm>

#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr std::int64_t few_rows = 32;    // up to which splitting k pays
constexpr std::int64_t tile_n = 128;     // columns of a block of threads
constexpr std::int64_t least_k = 512;    // of a split
constexpr std::int64_t query_rows = 16;  // of one KV head that a block takes
constexpr std::int64_t least_kv = 128;   // tokens of a split

}  // namespace

int splits_for(std::int64_t blocks, std::int64_t pieces, int processors) {
  const std::int64_t wanted = divided_up(2 * processors, blocks);
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(pieces, 1)));
}

int product_splits(std::int64_t m, std::int64_t n, std::int64_t k, int processors) {
  return m <= few_rows ? splits_for(divided_up(n, tile_n), k / least_k, processors) : 1;
}

// Of n columns: at most one split more than 2 processors over n / tile_n blocks, each of n columns.
std::int64_t product_parts(std::int64_t n, int processors) { return few_rows * (2 * processors * tile_n + n); }

int decode_splits(const DecodeSize& s, int processors) {
  const std::int64_t row_blocks = divided_up(s.q_heads / s.kv_heads, query_rows);
  return splits_for(s.sequences * s.kv_heads * row_blocks, s.context / least_kv, processors);
}

std::int64_t most_decode_splits(std::int64_t sequences, int processors) { return 2 * processors + sequences; }

}  // namespace servecast
