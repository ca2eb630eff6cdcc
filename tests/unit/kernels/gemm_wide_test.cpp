#include "kernels/gemm/gemm_kernel.h"
#include "tests/unit/kernels/made_gemm.h"

namespace servecast::gemm_wide_test {

using namespace made;

// Tiles of 256 columns are taken where 132 of them come together: too many to emulate, so the kernel is started
// itself.
TEST(GemmOfGroups, WideTiles) {
  const OnHopper hopper;
  const auto wide = []<class Kind>(Kind) {
    return [](const Gemm& g) { return gemms::start_group_tiles<Kind, 256>(g, nullptr); };
  };
  const Shape shape{.m = 70, .n = 300, .k = 448};
  Rng rng(48, "wide products");
  EXPECT_LT(gemm_error<Half>(shape, wide(gemms::Same<Half, Half, float>{}), Direct<Half>(shape, rng, 1)),
            rounding<Half>);
  EXPECT_LT(gemm_error<Bf16>(shape, wide(gemms::Same<Bf16, std::int8_t, int>{}), Direct<std::int8_t>(shape, rng, 0)),
            rounding<Bf16>);
}

}  // namespace servecast::gemm_wide_test
