#include "calibrate/fit/quantizing.h"

#include <gtest/gtest.h>

namespace servecast::quantizing_test {

const Flavour fp8{.op = "gemm", .dtype = "fp8"};
const Flavour bf16{.op = "gemm", .dtype = "bf16"};
const Flavour quantize{.op = "elementwise", .mode = "quantize"};

constexpr double launch_s = 4e-6;
constexpr double rate = 2e12;
constexpr double pass_launch_s = 10e-6;
constexpr double pass_rate = 0.8e12;

/// Products that take a launch and read their inputs; those in fp8 read half, after a pass over 3 bytes per input.
std::map<Flavour, FlavourCells> made_up() {
  std::map<Flavour, FlavourCells> cells;
  for (const std::int64_t m : {1, 64, 1024, 8192})
    for (const std::int64_t k : {1024, 8192})
      for (const std::int64_t n : {32, 128, 4096}) {
        const double read_s = static_cast<double>(2 * m * k) / rate;
        const double pass_s = pass_launch_s + static_cast<double>(3 * m * k) / pass_rate;
        const KernelShape shape{.m = m, .n = n, .k = k};
        cells[bf16].cells.push_back({.shape = shape, .seconds = launch_s + read_s});
        cells[fp8].cells.push_back({.shape = shape, .seconds = launch_s + read_s / 2 + pass_s});
      }
  cells[fp8].source = "trtllm 1";
  return cells;
}

TEST(Quantizing, NarrowProductsShowThePasses) {
  std::map<Flavour, FlavourCells> cells = made_up();
  add_quantizing(cells);
  ASSERT_TRUE(cells.contains(quantize));
  EXPECT_EQ(cells[quantize].source, "trtllm 1");
  ASSERT_EQ(cells[quantize].cells.size(), 7u) << "m k = 8192 comes twice";
  // The launch is taken for that of the smallest product, which reads 2 kB.
  for (const Cell& cell : cells[quantize].cells)
    EXPECT_NEAR(cell.seconds, pass_launch_s + static_cast<double>(cell.shape.bytes) / pass_rate, 1e-9);
}

TEST(Quantizing, MeasuredProductsStayAsTheyAre) {
  std::map<Flavour, FlavourCells> cells = made_up();
  const std::map<Flavour, FlavourCells> before = cells;
  add_quantizing(cells);
  for (std::size_t i = 0; i < before.at(fp8).cells.size(); ++i)
    EXPECT_EQ(cells[fp8].cells[i].seconds, before.at(fp8).cells[i].seconds);
}

TEST(Quantizing, NeedsBothTypes) {
  std::map<Flavour, FlavourCells> cells = made_up();
  cells.erase(bf16);
  add_quantizing(cells);
  EXPECT_FALSE(cells.contains(quantize));
}

}  // namespace servecast::quantizing_test
