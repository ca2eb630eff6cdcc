#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/calls/product_kinds.h"
#include "calibrate/step/splits.h"

namespace servecast {
namespace {

class ProductCall final : public Call {
 public:
  ProductCall(const KernelShape& s, const KindOfProduct& kind, const CallContext& context)
      : kind_(kind.kind),
        splits_(product_splits(s.m, s.n, s.k, context.processors)),
        a_(random_buffer(s.m * s.k, kind.a, context.rng)),
        weights_(kind.random_weights(s.n, s.k, context.rng)),
        column_scales_(kind.random_scales(s.n, s.k, context.rng)),
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

std::unique_ptr<Call> make_product(const MeasureTarget& target, const CallContext& context) {
  if (target.engine == "cublaslt") return make_library_product(target, context);
  const KindOfProduct* kind = kind_of_product(target.dtype);
  if (kind == nullptr || (kind->kind == GemmKind::fp8 && !context.has_fp8)) return nullptr;
  return std::make_unique<ProductCall>(target.shape, *kind, context);
}

}  // namespace servecast
