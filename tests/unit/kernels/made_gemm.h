#pragma once
#include "kernels/gemm/gemm.h"
#include "tests/unit/kernels/made.h"

namespace servecast::made {

/// A product's size.
struct Shape {
  int m = 1;
  int n = 128;
  int k = 128;
  int splits = 1;
  std::vector<std::int32_t> expert_rows{};  // empty: no experts
};

inline std::size_t size(int a, int b) { return static_cast<std::size_t>(a) * static_cast<std::size_t>(b); }

/// Operands of a kind: what lies in memory, and what it means.
struct Operands {
  virtual ~Operands() = default;
  virtual void point(Gemm& g) = 0;
  virtual double a(int row, int k) const = 0;
  virtual double weight(int row, int k) const = 0;  // row: expert * n + column
};

inline int experts_of(const Shape& s) {
  return s.expert_rows.empty() ? 1 : static_cast<int>(s.expert_rows.size()) - 1;
}
inline std::size_t at(int row, int columns, int column) {
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

inline std::vector<double> product(const Shape& s, const Operands& operands) {
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
  const Array<std::int32_t> expert_rows(s.expert_rows);
  if (!s.expert_rows.empty()) g.expert_rows = expert_rows.data();
  operands.point(g);
  run_in_both_orders(out, [&] {
    partial.poison();
    EXPECT_TRUE(launch(g));
  });
  return relative_error(out, product(s, operands));
}

}  // namespace servecast::made
