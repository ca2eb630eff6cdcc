#include "kernels/gemm.h"

#include "kernels/gemm_kernel.h"
#include "tests/unit/kernels/made.h"

namespace servecast {
namespace {

struct Shape {
  int m = 1;
  int n = 128;
  int k = 128;
  int splits = 1;
  std::vector<std::int32_t> expert_rows{};  // empty: no experts
};

std::size_t size(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

/// Operands of a kind: what lies in memory, and what it means.
struct Operands {
  virtual ~Operands() = default;
  virtual void point(Gemm& g) = 0;
  virtual double a(int row, int k) const = 0;
  virtual double weight(int row, int k) const = 0;  // row: expert * n + column
};

int experts_of(const Shape& s) { return s.expert_rows.empty() ? 1 : static_cast<int>(s.expert_rows.size()) - 1; }
std::size_t at(int row, int columns, int column) {
  return static_cast<std::size_t>(row) * static_cast<std::size_t>(columns) + static_cast<std::size_t>(column);
}

/// Numbers as they are; those of 8 bits with scales.
template <class Number>
struct Direct final : Operands {
  Direct(const Shape& s, Rng& rng, double span)
      : k(s.k),
        left(random(size(s.m, s.k), rng, span)),
        right(random(size(experts_of(s) * s.n, s.k), rng, span)),
        rows(random_array<float>(static_cast<std::size_t>(s.m), rng, 0.01)),
        columns(random_array<float>(static_cast<std::size_t>(experts_of(s) * s.n), rng)) {}
  static Array<Number> random(std::size_t count, Rng& rng, double span) {
    if constexpr (std::is_same_v<Number, std::int8_t>) {
      Array<Number> all(count);
      for (std::size_t i = 0; i < count; ++i)
        all[i] = static_cast<std::int8_t>(std::floor(rng.uniform() * 256) - 128);
      return all;
    } else {
      return random_array<Number>(count, rng, span);
    }
  }
  void point(Gemm& g) override {
    g.a = left.data();
    g.weights = right.data();
    g.row_scales = rows.data();
    g.column_scales = columns.data();
  }
  static constexpr bool scaled = sizeof(Number) == 1;
  double a(int row, int i) const override {
    return left.at(at(row, k, i)) * (scaled ? rows.at(static_cast<std::size_t>(row)) : 1);
  }
  double weight(int row, int i) const override {
    return right.at(at(row, k, i)) * (scaled ? columns.at(static_cast<std::size_t>(row)) : 1);
  }
  int k;
  Array<Number> left, right;
  Array<float> rows, columns;
};

template <class Number>
struct Mixed final : Operands {
  Mixed(const Shape& s, Rng& rng) : k(s.k), left(random_array<Number>(size(s.m, s.k), rng)), right(s, rng, 1) {}
  void point(Gemm& g) override {
    right.point(g);
    g.a = left.data();
    g.row_scales = nullptr;
  }
  double a(int row, int i) const override { return left.at(at(row, k, i)); }
  double weight(int row, int i) const override { return right.weight(row, i); }
  int k;
  Array<Number> left;
  Direct<std::int8_t> right;
};

template <class Number>
struct FourBits final : Operands {
  FourBits(const Shape& s, Rng& rng)
      : k(s.k),
        left(random_array<Number>(size(s.m, s.k), rng)),
        words(size(experts_of(s) * s.n, s.k / 8)),
        scales(random_array<Number>(size(experts_of(s) * s.n, s.k / 128), rng)) {
    for (std::size_t i = 0; i < words.size() * 4; ++i)
      reinterpret_cast<std::uint8_t*>(words.data())[i] = static_cast<std::uint8_t>(rng.uniform() * 256);
  }
  void point(Gemm& g) override {
    g.a = left.data();
    g.weights = words.data();
    g.column_scales = scales.data();
  }
  double a(int row, int i) const override { return left.at(at(row, k, i)); }
  double weight(int row, int i) const override {
    constexpr int place[8]{0, 4, 1, 5, 2, 6, 3, 7};  // of k = 0, 1, ... in the order 0 2 4 6 1 3 5 7
    std::uint32_t word = 0;
    std::memcpy(&word, &words[at(row, k / 8, i / 8)], sizeof word);
    return (static_cast<double>(word >> (place[i % 8] * 4) & 15U) - 8) * scales.at(at(row, k / 128, i / 128));
  }
  int k;
  Array<Number> left;
  Array<float> words;
  Array<Number> scales;
};

std::vector<double> product(const Shape& s, const Operands& operands) {
  std::vector<double> out;
  int expert = 0;
  for (int row = 0; row < s.m; ++row) {
    while (!s.expert_rows.empty() && row >= s.expert_rows[static_cast<std::size_t>(expert) + 1]) ++expert;
    for (int column = 0; column < s.n; ++column) {
      double sum = 0;
      for (int k = 0; k < s.k; ++k) sum += operands.a(row, k) * operands.weight(expert * s.n + column, k);
      out.push_back(sum);
    }
  }
  return out;
}

using Launch = std::function<bool(const Gemm&)>;

template <class Number>
double gemm_error(const Shape& s, const Launch& launch, Operands&& operands) {
  Array<Number> out(size(s.m, s.n));
  Array<float> partial(out.size() * static_cast<std::size_t>(s.splits));
  Gemm g{.out = out.data(),
         .partial = partial.data(),
         .m = s.m,
         .n = s.n,
         .k = s.k,
         .experts = experts_of(s),
         .splits = s.splits};
  if (!s.expert_rows.empty()) g.expert_rows = s.expert_rows.data();
  operands.point(g);
  run_in_both_orders(out, [&] {
    partial.poison();
    EXPECT_TRUE(launch(g));
  });
  return relative_error(out, product(s, operands));
}

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

}  // namespace
}  // namespace servecast
