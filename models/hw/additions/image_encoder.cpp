#include "models/hw/additions/image_encoder.h"

#include <algorithm>
#include <utility>

#include "models/base/counts.h"
#include "models/hw/latency/kernel_time.h"
#include "models/hw/latency/latency_around.h"

namespace servecast {
namespace {

class WithImages final : public LatencyAround {
 public:
  WithImages(std::unique_ptr<StepLatency> model, const VisionEncoder& encoder, const Kernels& kernels,
             std::int64_t tensor_parallel)
      : LatencyAround(std::move(model)), encoder_(encoder), kernels_(kernels), tensor_parallel_(tensor_parallel) {}

  StageTime stage(const StepWork& work, std::int64_t stage) const override {
    StageTime time = model().stage(work, stage);
    if (stage == 0 && work.images > 0)
      time += encoder_time(encoder_, kernels_, tensor_parallel_, work.images, work.image_tokens);
    return time;
  }

 private:
  VisionEncoder encoder_;
  Kernels kernels_;
  std::int64_t tensor_parallel_;
};

}  // namespace

StageTime encoder_time(const VisionEncoder& encoder, const Kernels& kernels, std::int64_t tensor_parallel,
                       std::int64_t images, std::int64_t image_tokens) {
  constexpr double products_per_layer = 4;  // q, k and v together, output, and two of the MLP
  const GemmFit& gemm = kernels.gemm.bf16.value();
  const PrefillAttentionFit& attention = kernels.prefill_attention;
  const double share = 1 / real(tensor_parallel);
  const double each = real(image_tokens) / real(images);
  const double launches_s = real(encoder.layers) * (products_per_layer * gemm.launch_s + attention.launch_s);
  const double read_s = share * facts(DataType::bf16).bytes * encoder.parameters / gemm.bytes_per_s;
  const double products_s = share * real(images) * encoder.product_flop(each) / gemm.flop_per_s;
  const double attention_s = share * real(images) * encoder.attention_flop(each) / attention.flop_per_s;
  return {.seconds = launches_s + std::max(read_s, products_s) + attention_s,
          .compute_s = attention_s + (products_s > read_s ? products_s : 0),
          .extrapolated = true};
}

std::unique_ptr<StepLatency> make_with_images(std::unique_ptr<StepLatency> model, const VisionEncoder& encoder,
                                              const Kernels& kernels, std::int64_t tensor_parallel) {
  return std::make_unique<WithImages>(std::move(model), encoder, kernels, tensor_parallel);
}

}  // namespace servecast
