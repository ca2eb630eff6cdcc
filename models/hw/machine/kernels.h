#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/hw/llm/data_type.h"

namespace servecast {

/// Matrix product of `rows` inputs: launch + (c^p + b^p)^(1/p), c = flop / flop_per_s, b = bytes / bytes_per_s.
struct GemmFit {
  double launch_s = 0;
  double flop_per_s = 0;
  double bytes_per_s = 0;
  double sharpness = 1;  // p: how sudden the change from memory-bound to compute-bound is
  std::int64_t max_rows = 0;
  std::int64_t min_width = 0;  // of either side of the weight matrix
  std::int64_t max_width = 0;

  void fields(Fields& f) {
    f.required("launch_s", launch_s, "time of an empty product", positive);
    f.required("flop_per_s", flop_per_s, "rate where arithmetic bounds", positive);
    f.required("bytes_per_s", bytes_per_s, "rate where memory bounds", positive);
    f.required("sharpness", sharpness, "exponent p of the change between both", positive);
    f.required("max_rows", max_rows, "most rows it was fitted on", at_least_one);
    f.required("min_width", min_width, "narrowest matrix side it was fitted on", at_least_one);
    f.required("max_width", max_width, "widest matrix side it was fitted on", at_least_one);
  }
};

/// One fit per data type of the weights; none where the GPU cannot compute it or it was not measured.
struct GemmFits {
  std::optional<GemmFit> bf16{};
  std::optional<GemmFit> fp8{};
  std::optional<GemmFit> fp8_block{};
  std::optional<GemmFit> int8{};
  std::optional<GemmFit> w8a8{};
  std::optional<GemmFit> int4{};
  std::optional<GemmFit> w4a8{};
  std::optional<GemmFit> mxfp4{};
  std::optional<GemmFit> w4a8_mxfp4{};
  std::optional<GemmFit> nvfp4{};

  std::optional<GemmFit>& of(DataType type) { return this->*member(type); }
  const std::optional<GemmFit>& of(DataType type) const { return this->*member(type); }

  void fields(Fields& f) {
    f.group("bf16", bf16, "bf16 and fp16");
    f.group("fp8", fp8, "8-bit floating point, weights and activations");
    f.group("fp8_block", fp8_block, "the same, scaled per 128 x 128 weights");
    f.group("int8", int8, "8-bit weights, bf16 activations");
    f.group("w8a8", w8a8, "8-bit integer weights and activations");
    f.group("int4", int4, "4-bit weights, bf16 activations");
    f.group("w4a8", w4a8, "4-bit weights, fp8 activations");
    f.group("mxfp4", mxfp4, "4-bit weights scaled by 32, bf16 activations");
    f.group("w4a8_mxfp4", w4a8_mxfp4, "the same, 8-bit activations");
    f.group("nvfp4", nvfp4, "4-bit floating point, weights and activations");
  }

 private:
  static constexpr std::optional<GemmFit> GemmFits::*member(DataType type) {
    switch (type) {
      case DataType::fp8:
        return &GemmFits::fp8;
      case DataType::fp8_block:
        return &GemmFits::fp8_block;
      case DataType::int8:
        return &GemmFits::int8;
      case DataType::w8a8:
        return &GemmFits::w8a8;
      case DataType::int4:
        return &GemmFits::int4;
      case DataType::w4a8:
        return &GemmFits::w4a8;
      case DataType::mxfp4:
        return &GemmFits::mxfp4;
      case DataType::w4a8_mxfp4:
        return &GemmFits::w4a8_mxfp4;
      case DataType::nvfp4:
        return &GemmFits::nvfp4;
      default:
        return &GemmFits::bf16;
    }
  }
};

/// One query token per sequence over a paged KV cache: (launch^p + (bytes (1 + half_tokens / context) /
/// rate)^p)^(1/p).
struct DecodeAttentionFit {
  double launch_s = 0;
  double bytes_per_s = 0;
  double sharpness = 1;
  double half_tokens = 0;  // context at which half of bytes_per_s is reached
  std::int64_t max_sequences = 0;
  std::int64_t max_context_tokens = 0;

  void fields(Fields& f) {
    f.required("launch_s", launch_s, "time over an empty cache", positive);
    f.required("bytes_per_s", bytes_per_s, "rate of reading long contexts", positive);
    f.required("sharpness", sharpness, "exponent p of the change between both", positive);
    f.required("half_tokens", half_tokens, "context at which half of that rate is reached");
    f.required("max_sequences", max_sequences, "largest batch it was fitted on", at_least_one);
    f.required("max_context_tokens", max_context_tokens, "longest context it was fitted on", at_least_one);
  }
};

/// Causal attention of a prompt of s tokens: (launch^p + (flop (1 + half_tokens / s) / rate)^p)^(1/p).
struct PrefillAttentionFit {
  double launch_s = 0;
  double flop_per_s = 0;
  double sharpness = 1;
  double half_tokens = 0;  // prompt length at which half of flop_per_s is reached
  std::int64_t max_context_tokens = 0;

  void fields(Fields& f) {
    f.required("launch_s", launch_s, "time of an empty prompt", positive);
    f.required("flop_per_s", flop_per_s, "rate of long prompts", positive);
    f.required("sharpness", sharpness, "exponent p of the change between both", positive);
    f.required("half_tokens", half_tokens, "prompt length at which half of that rate is reached");
    f.required("max_context_tokens", max_context_tokens, "longest prompt it was fitted on", at_least_one);
  }
};

/// Measured sum over the GPUs of a node, under CUDA graphs.
struct AllReducePoint {
  double bytes = 0;
  double ranks_2_s = 0;
  double ranks_4_s = 0;
  double ranks_8_s = 0;

  void fields(Fields& f) {
    f.required("bytes", bytes, "size of the vector on each GPU", positive);
    f.required("ranks_2_s", ranks_2_s, "time with 2 GPUs", positive);
    f.required("ranks_4_s", ranks_4_s, "time with 4 GPUs", positive);
    f.required("ranks_8_s", ranks_8_s, "time with 8 GPUs", positive);
  }
};

struct AllReduceFit {
  double eager_floor_s = 0;
  std::vector<AllReducePoint> points{};  // by rising bytes

  void fields(Fields& f) {
    f.required("eager_floor_s", eager_floor_s, "least time when launched without a CUDA graph");
    f.list("points", points, "measured sizes, smallest first", true);
  }
};

/// Constants of the operator models (roofline), fitted on measured kernels.
struct Kernels {
  GemmFits gemm{};
  GemmFits moe{};  // both products of all experts of a layer, routed tokens and touched experts counted
  DecodeAttentionFit decode_attention{};
  PrefillAttentionFit prefill_attention{};
  AllReduceFit all_reduce{};
  double elementwise_bytes_per_s = 0;

  void fields(Fields& f) {
    f.group("gemm", gemm, "matrix products, by data type of the weights");
    f.group("moe", moe, "expert layers, by data type of the weights; a type left out takes bf16's constants");
    f.group("decode_attention", decode_attention, "attention of one new token per sequence");
    f.group("prefill_attention", prefill_attention, "attention of prompts");
    f.group("all_reduce", all_reduce, "sum over the GPUs of a tensor-parallel group");
    f.required("elementwise_bytes_per_s", elementwise_bytes_per_s, "rate of norms, activations and copies", positive);
  }
};

}  // namespace servecast
