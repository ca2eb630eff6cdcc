#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/calls/product_kinds.h"
#include "calibrate/measure/cuda/calls/routed_tokens.h"
#include "kernels/elementwise/elementwise.h"

namespace servecast {
namespace {

/// An expert layer from the logits of its gate on: gate, order, permute, gate and up product, SiLU, down product,
/// combine. Timed in a graph with its gaps, for a step waits for them. n: width of an expert, k: of a token.
class ExpertLayerCall final : public Call {
 public:
  ExpertLayerCall(const KernelShape& s, const std::vector<std::int64_t>& loads, const KindOfProduct& kind, Rng& rng)
      : kind_(kind.kind),
        visits_(s.m * s.top_k),
        routed_({.tokens = s.m, .experts = s.experts, .top_k = s.top_k}, loads, rng),
        x_(random_buffer(s.m * s.k, Random::bf16, rng)),
        rows_(visits_ * s.k * bf16_size),
        wide_(visits_ * 2 * s.n * bf16_size),
        narrow_(visits_ * s.n * bf16_size),
        products_(rows_.bytes()),
        out_(x_.bytes()),
        up_weights_(kind.random_weights(s.experts * 2 * s.n, s.k, rng)),
        up_scales_(kind.random_scales(s.experts * 2 * s.n, s.k, rng)),
        down_weights_(kind.random_weights(s.experts * s.k, s.n, rng)),
        down_scales_(kind.random_scales(s.experts * s.k, s.n, rng)),
        up_(product(rows_, up_weights_, up_scales_, wide_)),
        down_(product(narrow_, down_weights_, down_scales_, products_)),
        silu_{.x = wide_.data(),
              .out = narrow_.data(),
              .rows = static_cast<int>(visits_),
              .size = static_cast<int>(s.n)} {
    up_.n = static_cast<int>(2 * s.n);
    up_.k = down_.n = static_cast<int>(s.k);
    down_.k = static_cast<int>(s.n);
  }

  void start(Stream stream) override {
    routed_.start(stream);
    permute_rows(rows(x_, rows_), stream);
    gemm(up_, kind_, true, stream);
    silu_mul(silu_, true, stream);
    gemm(down_, kind_, true, stream);
    combine_rows(rows(products_, out_), true, stream);
  }
  std::int64_t bytes() const override { return up_weights_.bytes() + down_weights_.bytes() + wide_.bytes(); }
  CallTime time() const override { return CallTime::span; }
  bool replayed() const override { return true; }

 private:
  Gemm product(const DeviceBuffer& a, const DeviceBuffer& weights, const DeviceBuffer& scales,
               const DeviceBuffer& out) const {
    return {.a = a.data(),
            .weights = weights.data(),
            .column_scales = scales.data(),
            .expert_rows = routed_.routing().expert_rows,
            .out = out.data(),
            .m = static_cast<int>(visits_),
            .experts = routed_.routing().experts};
  }
  ExpertRows rows(const DeviceBuffer& from, const DeviceBuffer& to) const {
    const Routing& r = routed_.routing();
    return {.row_of = r.row_of,
            .weights = r.weights,
            .from = from.data(),
            .to = to.data(),
            .tokens = r.tokens,
            .top_k = r.top_k,
            .size = up_.k};
  }

  GemmKind kind_;
  std::int64_t visits_;
  RoutedTokens routed_;
  DeviceBuffer x_;
  DeviceBuffer rows_;
  DeviceBuffer wide_;
  DeviceBuffer narrow_;
  DeviceBuffer products_;
  DeviceBuffer out_;
  DeviceBuffer up_weights_;
  DeviceBuffer up_scales_;
  DeviceBuffer down_weights_;
  DeviceBuffer down_scales_;
  Gemm up_;
  Gemm down_;
  SiluMul silu_;
};

}  // namespace

std::unique_ptr<Call> make_expert_layer(const MeasureTarget& target, const CallContext& context) {
  const KernelShape& s = target.shape;
  const KindOfProduct* kind = kind_of_product(target.dtype);
  const auto loads = expert_loads({.tokens = s.m, .experts = s.experts, .top_k = s.top_k}, target.mode, context.rng);
  // Where both operands have 8 bits, the activations between the products would have to be made so.
  if (kind == nullptr || !loads || kind->a != Random::bf16) return nullptr;
  return std::make_unique<ExpertLayerCall>(s, *loads, *kind, context.rng);
}

}  // namespace servecast
