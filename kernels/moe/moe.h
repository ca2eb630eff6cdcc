#pragma once
#include <cstdint>

#include "kernels/device/stream.h"

namespace servecast {

/// An expert layer's rows on their way: gate, order by expert, products of experts (kernels/gemm/gemm.h), and back.
struct Routing {
  const float* logits = nullptr;        // [tokens][experts]
  std::int32_t* chosen = nullptr;       // [tokens][top_k]: experts, best first
  float* weights = nullptr;             // [tokens][top_k]: softmax over the chosen
  std::int32_t* expert_rows = nullptr;  // [experts + 1]: where the rows of each begin
  std::int32_t* row_of = nullptr;       // [tokens][top_k]: the row that a visit got
  int tokens = 0;
  int experts = 0;  // up to most_experts
  int top_k = 1;    // up to most_top_k, and to experts
};
inline constexpr int most_experts = 512;
inline constexpr int most_top_k = 16;

/// Fills `chosen` and `weights`. Of equal logits the first counts as larger.
void gate_experts(const Routing& routing, Stream stream);
/// Fills `expert_rows` and `row_of`. Within an expert, visits stand in the order of tokens.
void order_by_expert(const Routing& routing, Stream stream);

/// Rows of `size` numbers of 16 bits, a multiple of 8.
struct ExpertRows {
  const std::int32_t* row_of = nullptr;  // [tokens][top_k]
  const float* weights = nullptr;        // [tokens][top_k]
  const void* from = nullptr;
  void* to = nullptr;
  int tokens = 0;
  int top_k = 1;
  int size = 0;
};
/// to[row_of[t][i]] = from[t]
void permute_rows(const ExpertRows& rows, Stream stream);
/// to[t] = sum over i of weights[t][i] from[row_of[t][i]]
void combine_rows(const ExpertRows& rows, bool bf16, Stream stream);

}  // namespace servecast
