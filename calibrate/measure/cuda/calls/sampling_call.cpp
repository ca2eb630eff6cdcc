#include "calibrate/measure/cuda/calls/call.h"
#include "kernels/elementwise/elementwise.h"

namespace servecast {
namespace {

/// A token for each of m rows of n logits.
class SamplingCall final : public Call {
 public:
  SamplingCall(const KernelShape& s, int top_k, Rng& rng)
      : logits_(random_buffer(s.m * s.n, Random::fp32, rng)),
        draws_(copy_of(std::span<const float>(uniform(s.m, rng)))),
        tokens_(4 * s.m),
        sampling_{.logits = static_cast<const float*>(logits_.data()),
                  .draws = static_cast<const float*>(draws_.data()),
                  .tokens = static_cast<std::int32_t*>(tokens_.data()),
                  .rows = static_cast<int>(s.m),
                  .size = static_cast<int>(s.n),
                  .top_k = top_k} {}
  void start(Stream stream) override { sample_tokens(sampling_, stream); }
  std::int64_t bytes() const override { return logits_.bytes(); }

 private:
  static std::vector<float> uniform(std::int64_t count, Rng& rng) {
    std::vector<float> all;
    for (std::int64_t i = 0; i < count; ++i) all.push_back(static_cast<float>(rng.uniform()));
    return all;
  }
  DeviceBuffer logits_;
  DeviceBuffer draws_;
  DeviceBuffer tokens_;
  TokenSampling sampling_;
};

}  // namespace

std::unique_ptr<Call> make_sampling(const MeasureTarget& target, const CallContext& context) {
  return std::make_unique<SamplingCall>(target.shape, target.mode == "sample_greedy" ? 1 : 50, context.rng);
}

}  // namespace servecast
