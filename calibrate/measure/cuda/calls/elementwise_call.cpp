#include "calibrate/measure/cuda/calls/call.h"
#include "kernels/elementwise/elementwise.h"

namespace servecast {
namespace {

// Rows as wide as the least of the series' bytes lets them be; with longer ones these kernels read no faster.
constexpr std::int64_t width = 1024;
constexpr std::int64_t heads = 32;
constexpr std::int64_t head_dim = 128;

/// Reads x and residual, writes residual and norm.
class NormCall final : public Call {
 public:
  NormCall(std::int64_t bytes, const CallContext& context)
      : rows_(bytes / (4 * width * bf16_size)),
        x_(random_buffer(rows_ * width, Random::bf16, context.rng)),
        residual_(random_buffer(rows_ * width, Random::bf16, context.rng)),
        weight_(random_buffer(width, Random::bf16, context.rng)),
        out_(x_.bytes()) {}
  void start(Stream stream) override {
    rms_norm({.x = x_.data(),
              .residual = residual_.data(),
              .weight = weight_.data(),
              .out = out_.data(),
              .rows = static_cast<int>(rows_),
              .size = width},
             true, stream);
  }
  std::int64_t bytes() const override { return 4 * x_.bytes(); }

 private:
  std::int64_t rows_;
  DeviceBuffer x_;
  DeviceBuffer residual_;
  DeviceBuffer weight_;
  DeviceBuffer out_;
};

/// Reads two halves, writes one.
class ActivationCall final : public Call {
 public:
  ActivationCall(std::int64_t bytes, const CallContext& context)
      : rows_(bytes / (3 * width * bf16_size)),
        x_(random_buffer(2 * rows_ * width, Random::bf16, context.rng)),
        out_(rows_ * width * bf16_size) {}
  void start(Stream stream) override {
    silu_mul({.x = x_.data(), .out = out_.data(), .rows = static_cast<int>(rows_), .size = width}, true, stream);
  }
  std::int64_t bytes() const override { return x_.bytes() + out_.bytes(); }

 private:
  std::int64_t rows_;
  DeviceBuffer x_;
  DeviceBuffer out_;
};

/// Reads and writes x.
class RopeCall final : public Call {
 public:
  RopeCall(std::int64_t bytes, const CallContext& context)
      : tokens_(bytes / (2 * heads * head_dim * bf16_size)),
        x_(random_buffer(tokens_ * heads * head_dim, Random::bf16, context.rng)),
        positions_(copy_of(std::vector<std::int32_t>(static_cast<std::size_t>(tokens_), 1))),
        table_(random_buffer(2 * head_dim, Random::fp32, context.rng)) {}
  void start(Stream stream) override {
    rope({.x = x_.data(),
          .positions = static_cast<std::int32_t*>(positions_.data()),
          .cos_sin = static_cast<float*>(table_.data()),
          .tokens = static_cast<int>(tokens_),
          .heads = heads,
          .size = head_dim},
         true, stream);
  }
  std::int64_t bytes() const override { return 2 * x_.bytes(); }

 private:
  std::int64_t tokens_;
  DeviceBuffer x_;
  DeviceBuffer positions_;
  DeviceBuffer table_;
};

}  // namespace

std::unique_ptr<Call> make_elementwise(const MeasureTarget& target, const CallContext& context) {
  const std::int64_t bytes = target.shape.bytes;
  if (target.mode == "residual_norm") return std::make_unique<NormCall>(bytes, context);
  if (target.mode == "silu_mul") return std::make_unique<ActivationCall>(bytes, context);
  if (target.mode == "rope_heads") return std::make_unique<RopeCall>(bytes, context);
  if (target.mode.starts_with("sample")) return make_sampling(target, context);
  return make_expert_rows(target, context);
}

}  // namespace servecast
