#pragma once
#include <cstdint>

#include "kernels/device/stream.h"

namespace servecast {

/// All of these: `bf16` numbers, else fp16; rows of `size` numbers, a multiple of 8, aligned to 16 bytes.

/// residual += x; out = residual / rms(residual) * weight (Zhang and Sennrich, arXiv 1910.07467, equation 4).
struct RmsNorm {
  const void* x = nullptr;       // [rows][size]
  void* residual = nullptr;      // [rows][size], or null: the norm of x alone
  const void* weight = nullptr;  // [size]
  void* out = nullptr;           // [rows][size]
  int rows = 0;
  int size = 0;
  float epsilon = 1e-6F;
};
void rms_norm(const RmsNorm& norm, bool bf16, Stream stream);

/// Rotary embedding in place, halves of a head paired (GPT-NeoX's order). `size`: of a head, a multiple of 16.
struct Rope {
  void* x = nullptr;                        // [tokens][heads][size]
  const std::int32_t* positions = nullptr;  // [tokens]
  const float* cos_sin = nullptr;           // [positions][size]: size / 2 cosines, then as many sines
  int tokens = 0;
  int heads = 0;
  int size = 0;
};
void rope(const Rope& rope, bool bf16, Stream stream);

/// out = silu(first half of x) * second half.
struct SiluMul {
  const void* x = nullptr;  // [rows][2 size]
  void* out = nullptr;      // [rows][size]
  int rows = 0;
  int size = 0;
};
void silu_mul(const SiluMul& silu, bool bf16, Stream stream);

/// One token per row: of the `top_k` largest logits, equal ones by index, the one at which the softmax's sum passes
/// the row's draw. top_k 1: the largest.
struct TokenSampling {
  const float* logits = nullptr;   // [rows][size]; any size
  const float* draws = nullptr;    // [rows], 0 to 1; unused with top_k 1
  std::int32_t* tokens = nullptr;  // [rows]
  int rows = 0;
  int size = 0;
  int top_k = 1;  // up to largest_top_k
  float temperature = 1;
};
inline constexpr int largest_top_k = 64;
void sample_tokens(const TokenSampling& sampling, Stream stream);

}  // namespace servecast
