#pragma once
#include <string_view>

#include "calibrate/measure/cuda/device/buffers.h"
#include "kernels/gemm/gemm.h"

namespace servecast {

/// How samples call a kind of product, and its operands.
struct KindOfProduct {
  std::string_view dtype;
  GemmKind kind;
  Random a;
  Random weights;
  int weight_bits;

  /// Weights of `rows` columns of the product, and their scales.
  DeviceBuffer random_weights(std::int64_t rows, std::int64_t k, Rng& rng) const;
  DeviceBuffer random_scales(std::int64_t rows, std::int64_t k, Rng& rng) const;
};
/// Null for a name that is none.
const KindOfProduct* kind_of_product(std::string_view dtype);

}  // namespace servecast
