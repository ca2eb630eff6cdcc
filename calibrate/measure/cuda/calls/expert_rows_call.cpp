#include <cuda_runtime.h>

#include "calibrate/measure/cuda/calls/call.h"
#include "calibrate/measure/cuda/calls/routed_tokens.h"

namespace servecast {
namespace {

RoutedTokens balanced_tokens(const KernelShape& s, Rng& rng) {
  const ExpertVisits visits{.tokens = s.m, .experts = s.experts, .top_k = s.top_k};
  return {visits, expert_loads(visits, "balanced", rng).value(), rng};
}

/// Chooses the experts of each token and orders the visits by expert.
class GateCall final : public Call {
 public:
  GateCall(const KernelShape& s, Rng& rng) : routed_(balanced_tokens(s, rng)) {}
  void start(Stream stream) override { routed_.start(stream); }
  std::int64_t bytes() const override { return routed_.bytes(); }

 private:
  RoutedTokens routed_;
};

/// Rows of k numbers, each to its experts, or back.
class ExpertRowsCall final : public Call {
 public:
  ExpertRowsCall(const KernelShape& s, bool back, Rng& rng)
      : back_(back),
        routed_(balanced_tokens(s, rng)),
        tokens_(random_buffer(s.m * s.k, Random::bf16, rng)),
        visits_(random_buffer(s.m * s.top_k * s.k, Random::bf16, rng)),
        rows_{.row_of = routed_.routing().row_of,
              .weights = routed_.routing().weights,
              .from = back ? visits_.data() : tokens_.data(),
              .to = back ? tokens_.data() : visits_.data(),
              .tokens = static_cast<int>(s.m),
              .top_k = static_cast<int>(s.top_k),
              .size = static_cast<int>(s.k)} {
    routed_.start(nullptr);
    check_cuda(cudaDeviceSynchronize(), "the gate");
  }
  void start(Stream stream) override { back_ ? combine_rows(rows_, true, stream) : permute_rows(rows_, stream); }
  std::int64_t bytes() const override { return tokens_.bytes() + visits_.bytes(); }

 private:
  bool back_;
  RoutedTokens routed_;
  DeviceBuffer tokens_;
  DeviceBuffer visits_;
  ExpertRows rows_;
};

}  // namespace

std::unique_ptr<Call> make_expert_rows(const MeasureTarget& target, const CallContext& context) {
  const KernelShape& s = target.shape;
  if (target.mode == "gate") return std::make_unique<GateCall>(s, context.rng);
  if (target.mode != "permute" && target.mode != "combine") return nullptr;
  return std::make_unique<ExpertRowsCall>(s, target.mode == "combine", context.rng);
}

}  // namespace servecast
