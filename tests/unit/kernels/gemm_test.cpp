#include "kernels/gemm/gemm.h"

#include <string>

#include "tests/unit/kernels/made_gemm.h"

namespace servecast::gemm_test {

using namespace made;

template <class Number>
double error(const Shape& s, GemmKind kind) {
  Rng rng(47, "products");
  const Launch by_kind = [kind](const Gemm& g) { return gemm(g, kind, std::is_same_v<Number, Bf16>, nullptr); };
  switch (kind) {
    case GemmKind::plain:
      return gemm_error<Number>(s, by_kind, Direct<Number>(s, rng, 1));
    case GemmKind::w8a16:
      return gemm_error<Number>(s, by_kind, Mixed<Number>(s, rng));
    case GemmKind::w4a16:
      return gemm_error<Number>(s, by_kind, FourBits<Number>(s, rng));
    case GemmKind::w8a8:
      return gemm_error<Number>(s, by_kind, Direct<std::int8_t>(s, rng, 0));
    case GemmKind::fp8:
      return gemm_error<Number>(s, by_kind, Direct<Fp8>(s, rng, 4));
  }
  return 1;
}

constexpr GemmKind kinds[]{GemmKind::plain, GemmKind::w8a16, GemmKind::w4a16, GemmKind::w8a8, GemmKind::fp8};
std::string name(GemmKind kind) { return "kind " + std::to_string(static_cast<int>(kind)); }

TEST(Gemm, FewRows) {
  for (const GemmKind kind : kinds) {
    EXPECT_LT(error<Half>({.m = 1, .n = 130, .k = 384}, kind), rounding<Half>) << name(kind);
    EXPECT_LT(error<Bf16>({.m = 17, .n = 64, .k = 128}, kind), rounding<Bf16>) << name(kind);
  }
}
TEST(Gemm, ManyRows) {
  for (const GemmKind kind : kinds) {
    EXPECT_LT(error<Half>({.m = 33, .n = 128, .k = 128}, kind), rounding<Half>) << name(kind);
    EXPECT_LT(error<Bf16>({.m = 130, .n = 34, .k = 128}, kind), rounding<Bf16>) << name(kind);
  }
}
// 11 rows of tiles, of which 8 go together, by 3 columns of them.
TEST(Gemm, EveryTileOnce) {
  EXPECT_LT(error<Half>({.m = 10 * 128 + 1, .n = 258, .k = 64}, GemmKind::plain), rounding<Half>);
}
TEST(Gemm, SplitsOfKGiveTheSame) {
  for (const int splits : {2, 3, 5, 9})  // of 8 tiles: parts of different lengths, and empty ones
    EXPECT_LT(error<Half>({.m = 3, .n = 32, .k = 512, .splits = splits}, GemmKind::w4a16), rounding<Half>) << splits;
  EXPECT_LT(error<Bf16>({.m = 3, .n = 32, .k = 256, .splits = 2}, GemmKind::w8a8), rounding<Bf16>);
}
TEST(Gemm, LongSums) { EXPECT_LT(error<Half>({.m = 2, .n = 16, .k = 2048}, GemmKind::plain), rounding<Half>); }
// The rows of experts are as unequal as routing makes them: one has most, some have none.
TEST(Gemm, RowsOfExperts) {
  for (const GemmKind kind : kinds)
    EXPECT_LT(error<Half>({.m = 37, .n = 32, .k = 128, .expert_rows = {0, 0, 1, 1, 35, 37}}, kind), rounding<Half>)
        << name(kind);
  EXPECT_LT(error<Bf16>({.m = 150, .n = 32, .k = 128, .expert_rows = {0, 140, 140, 150}}, GemmKind::plain),
            rounding<Bf16>);
}

// With the matrix instructions of warp groups: tiles of 128 rows, k by 128 bytes.
TEST(GemmOfGroups, ManyRows) {
  const OnHopper hopper;
  for (const GemmKind kind : {GemmKind::plain, GemmKind::w8a8, GemmKind::fp8}) {
    EXPECT_LT(error<Half>({.m = 33, .n = 128, .k = 320}, kind), rounding<Half>) << name(kind);
    EXPECT_LT(error<Bf16>({.m = 130, .n = 34, .k = 128}, kind), rounding<Bf16>) << name(kind);
    EXPECT_LT(error<Bf16>({.m = 40, .n = 16, .k = 704, .splits = 2}, kind), rounding<Bf16>) << name(kind);
  }
}
TEST(GemmOfGroups, RowsOfExperts) {
  const OnHopper hopper;
  for (const GemmKind kind : {GemmKind::plain, GemmKind::fp8})
    EXPECT_LT(error<Bf16>({.m = 180, .n = 32, .k = 128, .expert_rows = {0, 140, 140, 180}}, kind), rounding<Bf16>)
        << name(kind);
}

}  // namespace servecast::gemm_test
