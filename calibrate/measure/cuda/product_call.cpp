#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/measure/cuda/call.h"
#include "kernels/gemm.h"

namespace servecast {
namespace {

/// How samples call a kind, and the bits of its operands.
struct KindOfProduct {
  std::string_view dtype;
  GemmKind kind;
  Random a;
  Random weights;
  int weight_bits;
};
constexpr std::array kinds{KindOfProduct{"bf16", GemmKind::plain, Random::bf16, Random::bf16, 16},
                           KindOfProduct{"int8", GemmKind::w8a16, Random::bf16, Random::bytes, 8},
                           KindOfProduct{"int4", GemmKind::w4a16, Random::bf16, Random::bytes, 4},
                           KindOfProduct{"w8a8", GemmKind::w8a8, Random::bytes, Random::bytes, 8},
                           KindOfProduct{"fp8", GemmKind::fp8, Random::fp8, Random::fp8, 8}};
constexpr std::int64_t group_k = 128;
constexpr std::int64_t few_rows = 32;  // up to which splitting k pays
constexpr std::int64_t tile_n = 128;
constexpr std::int64_t least_k = 512;  // of a split

std::int64_t weight_elements(const KernelShape& s, const KindOfProduct& kind) {
  return kind.weights == Random::bytes ? s.n * s.k * kind.weight_bits / 8 : s.n * s.k;
}

class ProductCall final : public Call {
 public:
  ProductCall(const KernelShape& s, const KindOfProduct& kind, const CallContext& context)
      : kind_(kind.kind),
        splits_(s.m <= few_rows ? splits_for((s.n + tile_n - 1) / tile_n, s.k / least_k, context.processors) : 1),
        a_(random_buffer(s.m * s.k, kind.a, context.rng)),
        weights_(random_buffer(weight_elements(s, kind), kind.weights, context.rng)),
        column_scales_(kind.kind == GemmKind::w4a16 ? random_buffer(s.n * s.k / group_k, Random::bf16, context.rng)
                                                    : random_buffer(s.n, Random::fp32, context.rng)),
        row_scales_(random_buffer(s.m, Random::fp32, context.rng)),
        out_(s.m * s.n * 2),
        partial_(splits_ > 1 ? splits_ * s.m * s.n * 4 : 4) {
    product_ = {.a = a_.data(),
                .weights = weights_.data(),
                .column_scales = column_scales_.data(),
                .row_scales = static_cast<const float*>(row_scales_.data()),
                .out = out_.data(),
                .partial = static_cast<float*>(partial_.data()),
                .m = static_cast<int>(s.m),
                .n = static_cast<int>(s.n),
                .k = static_cast<int>(s.k),
                .splits = splits_};
  }
  void start(Stream stream) override { gemm(product_, kind_, true, stream); }
  std::int64_t bytes() const override { return a_.bytes() + weights_.bytes() + out_.bytes(); }

 private:
  GemmKind kind_;
  int splits_;
  DeviceBuffer a_;
  DeviceBuffer weights_;
  DeviceBuffer column_scales_;
  DeviceBuffer row_scales_;
  DeviceBuffer out_;
  DeviceBuffer partial_;
  Gemm product_{};
};

}  // namespace

int splits_for(std::int64_t blocks, std::int64_t pieces, int processors) {
  const std::int64_t wanted = (2 * processors + blocks - 1) / blocks;
  return static_cast<int>(std::clamp<std::int64_t>(wanted, 1, std::max<std::int64_t>(pieces, 1)));
}

std::unique_ptr<Call> make_product(const MeasureTarget& target, const CallContext& context) {
  const auto kind = std::ranges::find(kinds, std::string_view(target.dtype), &KindOfProduct::dtype);
  if (kind == kinds.end() || (kind->kind == GemmKind::fp8 && !context.has_fp8)) return nullptr;
  return std::make_unique<ProductCall>(target.shape, *kind, context);
}

}  // namespace servecast
