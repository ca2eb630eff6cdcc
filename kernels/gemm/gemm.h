#pragma once
#include <cstdint>

#include "kernels/device/stream.h"

namespace servecast {

/// How the operands of a product lie in memory. `Number` is that of the output, fp16 or bf16.
enum class GemmKind {
  plain,  // both as Number
  w8a16,  // weights int8, one scale per column; the rest as Number
  w4a16,  // weights of 4 bits, one scale (a Number) per 128 of k
  w8a8,   // both int8, one scale per column and one per row
  fp8,    // both fp8, likewise; not on Ampere
};

/// out = a weights^T, rows of weights being columns of the product. k is a multiple of 64, with w4a16 of 128.
/// Weights of 4 bits: 8 of one column in 32 bits, k in the order 0 2 4 6 1 3 5 7 from the lowest bits up, stored
/// plus 8.
struct Gemm {
  const void* a = nullptr;                    // [m][k]
  const void* weights = nullptr;              // [experts][n][k]
  const void* column_scales = nullptr;        // [experts][n] floats; w4a16: [experts][n][k / 128]
  const float* row_scales = nullptr;          // [m]
  const std::int32_t* expert_rows = nullptr;  // [experts + 1]: which rows of `a` go to each; null: all to the one
  void* out = nullptr;                        // [m][n]
  float* partial = nullptr;                   // [splits][m][n]; unused with one split
  int m = 0;                                  // with experts: the sum over them
  int n = 0;                                  // even
  int k = 0;
  int experts = 1;
  int splits = 1;  // of k, for products of few rows; 1 with experts
};

/// False for a kind that there is not. `bf16`: Number is bf16, else fp16.
bool gemm(const Gemm& product, GemmKind kind, bool bf16, Stream stream);

}  // namespace servecast
