#pragma once
#include "models/hw/llm/llm.h"
#include "models/hw/machine/gpu.h"

namespace servecast {

/// Round constants and sharpness 1, so that every time is a plain sum: launch + flop / 1e12 + bytes / 1e12.
inline Gpu made_up_gpu() {
  const GemmFit fit{.launch_s = 1e-6,
                    .flop_per_s = 1e12,
                    .bytes_per_s = 1e12,
                    .sharpness = 1,
                    .max_rows = 1000,
                    .min_width = 1,
                    .max_width = 1'000'000};
  Kernels k;
  k.gemm.bf16 = k.moe.bf16 = fit;
  k.decode_attention = {.launch_s = 2e-6,
                        .bytes_per_s = 1e12,
                        .sharpness = 1,
                        .half_tokens = 0,
                        .max_sequences = 100,
                        .max_context_tokens = 1000};
  k.prefill_attention = {
      .launch_s = 3e-6, .flop_per_s = 1e13, .sharpness = 1, .half_tokens = 0, .max_context_tokens = 1000};
  k.all_reduce = {.eager_floor_s = 50e-6,
                  .points = {{.bytes = 1000, .ranks_2_s = 1e-6, .ranks_4_s = 2e-6, .ranks_8_s = 4e-6},
                             {.bytes = 100000, .ranks_2_s = 100e-6, .ranks_4_s = 200e-6, .ranks_8_s = 400e-6}}};
  k.elementwise_bytes_per_s = 1e12;
  Gpu gpu{.name = "made_up", .title = "Made Up 1", .hbm_bytes = 10e9, .hbm_bytes_per_s = 2e12};
  gpu.peaks = {.bf16_flop_per_s = 2e13};
  gpu.pcie_h2d_bytes_per_s = gpu.pcie_d2h_bytes_per_s = 20e9;
  gpu.nvlink_bytes_per_s = 100e9;
  gpu.power = {.idle_w = 100, .prefill_w = 500, .decode_w = 300, .tdp_w = 500, .cap_w = 500};
  gpu.kernels = k;
  return gpu;
}

/// 2 layers, hidden 100, 2 query heads of 50 on 1 KV head, MLP 200, 1,000 words.
inline Llm tiny_llm() {
  return {.name = "tiny",
          .layers = 2,
          .hidden = 100,
          .heads = 2,
          .kv_heads = 1,
          .head_size = 50,
          .vocabulary = 1000,
          .intermediate = 200};
}

/// The same with 4 experts of width 30, 2 per token, and one shared of width 10; the first layer is dense.
inline Llm tiny_moe() {
  Llm m = tiny_llm();
  m.experts = {.count = 4, .active = 2, .intermediate = 30, .shared_intermediate = 10, .first_dense_layers = 1};
  return m;
}

}  // namespace servecast
