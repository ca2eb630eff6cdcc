#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include "kernels/device/device.h"
#include "models/base/rng.h"
#include "tests/unit/kernels/machine.h"

namespace servecast {

/// Numbers that kernels and tests read and write, aligned as GPU memory is.
template <class Number>
class Array {
 public:
  explicit Array(std::size_t size)
      : size_(size), data_(static_cast<Number*>(kernel_memory((size + 1) * sizeof(Number)))) {
    poison();
  }
  explicit Array(const std::vector<Number>& numbers) : Array(numbers.size()) {
    std::ranges::copy(numbers, data_.get());
  }
  Number* data() { return data_.get(); }
  const Number* data() const { return data_.get(); }
  std::size_t size() const { return size_; }
  Number& operator[](std::size_t i) { return data_.get()[i]; }
  const Number& operator[](std::size_t i) const { return data_.get()[i]; }
  double at(std::size_t i) const { return static_cast<double>(to_float(data_.get()[i])); }
  /// NaN, so that what is not written is seen.
  void poison() { std::memset(static_cast<void*>(data_.get()), 0xff, size_ * sizeof(Number)); }

 private:
  struct Free {
    void operator()(Number* data) const { free_kernel_memory(data); }
  };
  std::size_t size_;
  std::unique_ptr<Number[], Free> data_;
};

/// Uniform between -`span` and `span`.
template <class Number>
Array<Number> random_array(std::size_t size, Rng& rng, double span = 1) {
  Array<Number> all(size);
  for (std::size_t i = 0; i < size; ++i)
    all[i] = from_float<Number>(static_cast<float>((rng.uniform() * 2 - 1) * span));
  return all;
}

/// |out - reference| / |reference| over all numbers; NaN where any is.
template <class Number>
double relative_error(const Array<Number>& out, const std::vector<double>& reference) {
  EXPECT_EQ(out.size(), reference.size());
  double wrong = 0;
  double whole = 0;
  for (std::size_t i = 0; i < reference.size(); ++i) {
    wrong += std::pow(out.at(i) - reference[i], 2);
    whole += reference[i] * reference[i];
  }
  return std::sqrt(wrong / whole);
}

/// What rounding the operands and the result to `Number` may cost.
template <class Number>
inline constexpr double rounding = 1e-3;
template <>
inline constexpr double rounding<Bf16> = 8e-3;

/// Runs `kernel` with threads backwards, copies early and products late, then forwards and the other way about; both
/// must give the same bytes of `out`.
template <class Number>
void run_in_both_orders(Array<Number>& out, const std::function<void()>& kernel) {
  emulation::order = emulation::Order::backward;
  emulation::copies = emulation::Copies::early;
  emulation::products = emulation::Products::late;
  out.poison();
  kernel();
  finish_kernels();
  std::vector<Number> backward(&out[0], &out[0] + out.size());
  emulation::order = emulation::Order::forward;
  emulation::copies = emulation::Copies::late;
  emulation::products = emulation::Products::early;
  out.poison();
  kernel();
  finish_kernels();
  emulation::products = emulation::Products::late;
  EXPECT_EQ(std::memcmp(backward.data(), &out[0], out.size() * sizeof(Number)), 0)
      << "depends on the order of threads, copies and products: a barrier or a wait is missing";
}

/// Emulated launches go to a Hopper GPU until it is gone; real ones go where they go.
struct OnHopper {
  OnHopper() { emulation::hopper = true; }
  ~OnHopper() { emulation::hopper = false; }
};

}  // namespace servecast
