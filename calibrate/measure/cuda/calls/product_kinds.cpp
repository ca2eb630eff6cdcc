#include "calibrate/measure/cuda/calls/product_kinds.h"

#include <algorithm>
#include <array>

namespace servecast {
namespace {

constexpr std::array product_kinds{KindOfProduct{"bf16", GemmKind::plain, Random::bf16, Random::bf16, 16},
                                   KindOfProduct{"int8", GemmKind::w8a16, Random::bf16, Random::bytes, 8},
                                   KindOfProduct{"int4", GemmKind::w4a16, Random::bf16, Random::bytes, 4},
                                   KindOfProduct{"w8a8", GemmKind::w8a8, Random::bytes, Random::bytes, 8},
                                   KindOfProduct{"fp8", GemmKind::fp8, Random::fp8, Random::fp8, 8}};
constexpr std::int64_t group_k = 128;

}  // namespace

DeviceBuffer KindOfProduct::random_weights(std::int64_t rows, std::int64_t k, Rng& rng) const {
  return random_buffer(weights == Random::bytes ? rows * k * weight_bits / 8 : rows * k, weights, rng);
}

DeviceBuffer KindOfProduct::random_scales(std::int64_t rows, std::int64_t k, Rng& rng) const {
  if (kind == GemmKind::w4a16) return random_buffer(rows * k / group_k, Random::bf16, rng);
  return random_buffer(rows, Random::fp32, rng);
}

const KindOfProduct* kind_of_product(std::string_view dtype) {
  const auto kind = std::ranges::find(product_kinds, dtype, &KindOfProduct::dtype);
  return kind != product_kinds.end() ? &*kind : nullptr;
}

}  // namespace servecast
