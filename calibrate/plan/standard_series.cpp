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

void bytes_moved(std::vector<Series>& all) {
  // Whole rows: a norm moves 4 numbers for each of a row, an activation 3, rope 2 for each of a head.
  for (const auto& [mode, first] : {std::pair{"norm", 4}, {"activation", 3}, {"rope", 4}})
    all.push_back({.like = {.op = "elementwise", .dtype = "bf16", .mode = mode, .kernel = "servecast"},
                   .axes = {{&S::bytes, powers(first << 12, first << 28)}}});
  for (const char* direction : {"h2d", "d2h"})
    for (const char* memory : {"pinned", "pageable"})
      all.push_back({.like = {.op = direction, .mode = memory, .kernel = "copy"},
                     .axes = {{&S::bytes, powers(1 << 12, 1 << 30)}}});
  for (const char* direction : {"h2d", "d2h"})
    for (const char* streams : {"pinned_2_streams", "pinned_4_streams", "pinned_8_streams"})
      all.push_back({.like = {.op = direction, .mode = streams, .kernel = "copy"},
                     .axes = {{&S::bytes, powers(1 << 16, 1 << 30, 4)}}});
}

}  // namespace

std::vector<Series> standard_series() {
  std::vector<Series> all;
  products(all);
  attention(all);
  bytes_moved(all);
  return all;
}

}  // namespace servecast
