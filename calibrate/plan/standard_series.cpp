#include <string_view>

#include "calibrate/plan/series.h"

namespace servecast {
namespace {

using S = KernelShape;

/// first, first * ratio, ... up to last.
std::vector<std::int64_t> powers(std::int64_t first, std::int64_t last, std::int64_t ratio = 2) {
  std::vector<std::int64_t> values;
  for (std::int64_t value = first; value <= last; value *= ratio) values.push_back(value);
  return values;
}

void products(std::vector<Series>& all) {
  for (const auto& [dtype, kernel] : {std::pair{"bf16", "servecast"},
                                      {"int8", "servecast"},
                                      {"int4", "servecast"},
                                      {"w8a8", "servecast"},
                                      {"fp8", "servecast"}})
    all.push_back({.like = {.op = "gemm", .dtype = dtype, .kernel = kernel},
                   .axes = {{&S::m, powers(1, 8192)}, {&S::n, powers(1024, 32768)}, {&S::k, powers(1024, 16384)}}});
}

void attention(std::vector<Series>& all) {
  for (const std::int64_t head : {64, 128, 256}) {
    const auto shape = S{.tokens = 1, .head_dim = head};
    for (const char* kv : {"bf16", "fp8"})
      all.push_back(
          {.like = {.op = "decode_attention", .dtype = "bf16", .kv_dtype = kv, .kernel = "servecast", .shape = shape},
           .axes = {{&S::sequences, powers(1, 256)},
                    {&S::context, powers(128, 32768)},
                    {&S::q_heads, {8, 32, 64}},
                    {&S::kv_heads, {1, 8}}}});
    all.push_back({.like = {.op = "prefill_attention",
                            .dtype = "bf16",
                            .kv_dtype = "bf16",
                            .kernel = "servecast",
                            .shape = {.head_dim = head}},
                   .axes = {{&S::sequences, powers(1, 16, 4)},
                            {&S::tokens, powers(64, 16384)},
                            {&S::q_heads, {8, 32, 64}},
                            {&S::kv_heads, {1, 8}}},
                   .complete = [](S& s) { s.context = s.tokens; }});
  }
  all.push_back(
      {.like = {.op = "mla_decode",
                .dtype = "bf16",
                .kv_dtype = "bf16",
                .kernel = "servecast",
                .shape = {.n = 576, .k = 512, .tokens = 1, .kv_heads = 1}},
       .axes = {
           {&S::sequences, powers(1, 256)}, {&S::context, powers(128, 32768)}, {&S::q_heads, {16, 32, 64, 128}}}});
}

/// One layer's experts as some model has them; `widths`: of one expert on one of as many GPUs as share it.
struct ExpertLayer {
  std::int64_t experts;
  std::int64_t top_k;
  std::int64_t hidden;
  std::vector<std::int64_t> widths;
};

void experts(std::vector<Series>& all) {
  const std::vector<ExpertLayer> layers{{8, 2, 4096, {1792, 3584, 7168, 14336}},  // Mixtral 8x7B
                                        {128, 8, 2048, {256, 384, 768}},          // Qwen3-30B-A3B
                                        {128, 8, 4096, {384, 768, 1536}},         // Qwen3-235B-A22B
                                        {256, 8, 7168, {256, 512, 1024, 2048}}};  // DeepSeek-V3
  for (const auto& [dtype, mode] :
       {std::pair{"bf16", "balanced"}, {"bf16", "power_law_1.01"}, {"int8", "balanced"}, {"int4", "balanced"}})
    for (const ExpertLayer& layer : layers)
      all.push_back({.like = {.op = "moe",
                              .dtype = dtype,
                              .mode = mode,
                              .kernel = "servecast",
                              .shape = {.k = layer.hidden,
                                        .experts = layer.experts,
                                        .top_k = layer.top_k,
                                        .tensor_parallel = 1,
                                        .expert_parallel = 1}},
                     .axes = {{&S::m, powers(1, 8192)}, {&S::n, layer.widths}}});
}

/// What an expert layer does beside its products, and the choice of a token.
void rows_moved(std::vector<Series>& all) {
  const auto series = [](const char* mode, const S& shape, std::vector<SeriesAxis> axes, void (*complete)(S&)) {
    return Series{.like = {.op = "elementwise", .dtype = "bf16", .mode = mode, .kernel = "servecast", .shape = shape},
                  .axes = std::move(axes),
                  .complete = complete};
  };
  all.push_back(series("gate", {.top_k = 8}, {{&S::m, powers(1, 8192)}, {&S::experts, {8, 64, 256}}},
                       [](S& s) { s.bytes = s.m * (4 * s.experts + 12 * s.top_k); }));
  for (const char* mode : {"permute", "combine"})
    all.push_back(series(mode, {.experts = 64},
                         {{&S::m, powers(1, 8192)}, {&S::k, {2048, 4096, 7168}}, {&S::top_k, {2, 8}}},
                         [](S& s) { s.bytes = 2 * s.m * s.k * (1 + s.top_k); }));
  for (const char* mode : {"sample_greedy", "sample_top_50"})
    all.push_back(
        series(mode, {}, {{&S::m, powers(1, 256)}, {&S::n, {32000, 128256}}}, [](S& s) { s.bytes = 4 * s.m * s.n; }));
}

void bytes_moved(std::vector<Series>& all) {
  // Whole rows: a norm moves 4 numbers for each of a row, an activation 3, rope 2 for each of a head.
  for (const auto& [mode, first] : {std::pair{"residual_norm", 4}, {"silu_mul", 3}, {"rope_heads", 4}})
    all.push_back({.like = {.op = "elementwise", .dtype = "bf16", .mode = mode, .kernel = "servecast"},
                   .axes = {{&S::bytes, powers(first << 12, first << 28)}}});
}

/// Between host and device, from a part of an expert to a layer of them. What GPUs send goes to page-locked memory in
/// every engine.
void host_copies(std::vector<Series>& all) {
  const auto copies = [&](const char* mode, std::vector<std::int64_t> bytes, void (*complete)(S&) = nullptr) {
    for (const std::string_view direction : {"h2d", "d2h"}) {
      if (direction == "d2h" && std::string_view(mode).starts_with("pageable")) continue;
      all.push_back({.like = {.op = std::string(direction), .mode = mode, .kernel = "copy"},
                     .axes = {{&S::bytes, bytes}},
                     .complete = complete});
    }
  };
  for (const char* mode : {"pinned", "pageable"}) copies(mode, powers(1 << 12, 1 << 30));
  for (const char* mode : {"pinned_2_streams", "pinned_4_streams", "pinned_8_streams", "pageable_4_streams",
                           "pinned_4_pieces", "pinned_16_pieces", "pinned_beside_products"})
    copies(mode, powers(1 << 16, 1 << 30, 4));
  // Keys and values of a layer: 16 tokens, 8 heads of 128 in bf16.
  for (const char* mode : {"pinned_blocks", "pinned_gathered"})
    copies(mode, powers(1 << 16, 1 << 26), [](S& s) {
      s.n = 1 << 16;
      s.m = s.bytes / s.n;
    });
}

/// Within one GPU's memory, and from one GPU to the next.
void device_copies(std::vector<Series>& all) {
  all.push_back(
      {.like = {.op = "d2d", .mode = "copy", .kernel = "copy"}, .axes = {{&S::bytes, powers(1 << 12, 1 << 30)}}});
  for (const auto& [mode, kernel] :
       {std::pair{"gather_kernel", "servecast"}, {"scatter_kernel", "servecast"}, {"gather_copies", "copy"}})
    all.push_back({.like = {.op = "d2d", .mode = mode, .kernel = kernel},
                   .axes = {{&S::m, powers(1, 1024, 4)}, {&S::n, {4096, 32768, 262144}}},
                   .complete = [](S& s) { s.bytes = s.m * s.n; }});
  all.push_back({.like = {.op = "p2p", .mode = "copy_engine", .kernel = "copy", .shape = {.ranks = 2}},
                 .axes = {{&S::bytes, powers(1 << 12, 1 << 30)}}});
}

void launches(std::vector<Series>& all) {
  for (const char* mode : {"eager", "graph"})
    all.push_back(
        {.like = {.op = "launch", .mode = mode, .kernel = "servecast"}, .axes = {{&S::m, powers(1, 1024)}}});
}

/// The same products by NVIDIA's library, and sums over GPUs by NCCL.
void libraries(std::vector<Series>& all) {
  for (const char* dtype : {"bf16", "fp8", "w8a8"})
    all.push_back({.like = {.engine = "cublaslt", .op = "gemm", .dtype = dtype, .kernel = "cublaslt"},
                   .axes = {{&S::m, powers(1, 8192)}, {&S::n, powers(1024, 32768)}, {&S::k, powers(1024, 16384)}}});
  for (const char* op : {"all_reduce", "all_gather"})
    all.push_back({.like = {.engine = "nccl", .op = op, .dtype = "bf16", .mode = "nccl", .kernel = "nccl"},
                   .axes = {{&S::ranks, {2, 4, 8}}, {&S::bytes, powers(1 << 12, 1 << 28)}}});
}

}  // namespace

std::vector<Series> standard_series() {
  std::vector<Series> all;
  for (const auto add :
       {products, attention, experts, rows_moved, bytes_moved, host_copies, device_copies, launches, libraries})
    add(all);
  return all;
}

}  // namespace servecast
