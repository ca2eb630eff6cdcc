#include "calibrate/measure/measure.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <iterator>
#include <set>
#include <tuple>

#include "calibrate/cli/cli.h"
#include "calibrate/samples/samples_csv.h"
#include "models/base/error.h"
#include "sim/cli/program/console.h"
#include "tests/unit/calibrate/made_bench.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::measure_test {

using testing::AllOf;
using testing::HasSubstr;
using testing::ThrowsMessage;

std::vector<Series> small_series() {
  return {{.like = {.op = "gemm", .dtype = "bf16", .kernel = "own"},
           .axes = {{&KernelShape::m, {1, 16, 256, 4096}},
                    {&KernelShape::n, {1024, 4096, 16384}},
                    {&KernelShape::k, {1024, 8192}}}},
          {.like = {.op = "h2d", .mode = "pinned", .kernel = "copy"},
           .axes = {{&KernelShape::bytes, {4096, 65536, 1 << 20, 1 << 24}}}}};
}

MeasureRequest request_to(const std::string& out, double budget_s = 1e6) {
  return {.gpu = "h100_sxm_80g", .version = "1", .out = out, .budget_s = budget_s, .series = small_series()};
}
MeasureProgress measure_quietly(const MeasureRequest& request, GpuBench& bench) {
  return measure(request, bench, [](const MeasureProgress&) {});
}
std::string text_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

TEST(Measure, MeasuresTheWholeGrid) {
  const TestFolder folder;
  MadeBench bench({.spread = 0.01});
  const MeasureProgress done = measure_quietly(request_to(folder / "s.csv"), bench);
  EXPECT_EQ(done.samples, 28);
  const std::vector<Sample> samples = read_samples(folder / "s.csv");
  ASSERT_EQ(samples.size(), 28u);
  EXPECT_EQ(samples[0].gpu, "h100_sxm_80g");
  EXPECT_EQ(samples[0].engine, "servecast");
  EXPECT_EQ(samples[0].clock_mhz, 1980);
  EXPECT_EQ(samples[0].memory_clock_mhz, 2619);
  for (const Sample& s : samples) EXPECT_LT(s.noise_fraction, 0.02);
}

TEST(Measure, KeepsTheBudget) {
  const TestFolder folder;
  const MadeBench::Nature nature{.launch_s = 1e-3, .flop_per_s = 100e12, .spread = 0.01};
  MadeBench whole(nature);
  measure_quietly(request_to(folder / "whole.csv"), whole);
  for (const double part : {0.1, 0.4, 0.7}) {
    const double budget_s = part * whole.now_s();
    MadeBench bench(nature);
    const MeasureProgress done = measure_quietly(request_to(folder / fmt::format("{}.csv", part), budget_s), bench);
    EXPECT_LE(bench.now_s(), budget_s);
    EXPECT_GT(bench.now_s(), budget_s / 2);  // and is not left unused
    EXPECT_LT(done.samples, 28);
  }
}

TEST(Measure, GoesOnAsIfItHadNotBeenCutShort) {
  const TestFolder folder;
  MadeBench whole({});
  measure_quietly(request_to(folder / "whole.csv"), whole);
  for (const int after : {0, 1, 9, 20}) {
    const std::string out = folder / ("cut" + std::to_string(after) + ".csv");
    MadeBench first({.fails_after = after});
    EXPECT_THAT(
        [&] { measure_quietly(request_to(out), first); },
        ThrowsMessage<DeviceError>(AllOf(HasSubstr(" of servecast with "), HasSubstr(": the device is lost"))));
    EXPECT_EQ(read_samples(out).size(), static_cast<std::size_t>(after));
    std::ofstream(out, std::ios::app) << "h100_sxm_80g,1.0,serv";  // killed while it wrote
    MadeBench second({});
    const MeasureProgress done = measure_quietly(request_to(out), second);
    EXPECT_EQ(done.found, after);
    EXPECT_EQ(text_of(out), text_of(folder / "whole.csv"));
  }
}

TEST(Measure, HasNothingLeftToDoTheSecondTime) {
  const TestFolder folder;
  MadeBench bench({});
  measure_quietly(request_to(folder / "s.csv"), bench);
  MadeBench again({});
  EXPECT_EQ(measure_quietly(request_to(folder / "s.csv"), again).samples, 0);
  EXPECT_TRUE(again.order.empty());
}

TEST(Measure, DropsThrottledCallsAndTriesAgain) {
  const TestFolder folder;
  MadeBench briefly({.throttled_batches = 2});
  const MeasureProgress waited = measure_quietly(request_to(folder / "briefly.csv"), briefly);
  EXPECT_EQ(waited.throttled, 0);
  EXPECT_EQ(waited.samples, 28);
  EXPECT_EQ(briefly.pauses, 2);
  MadeBench hot({.throttled_batches = 1 << 20});
  const MeasureProgress dropped = measure_quietly(request_to(folder / "hot.csv"), hot);
  EXPECT_EQ(dropped.throttled, 28);
  EXPECT_TRUE(read_samples(folder / "hot.csv").empty());
}

// At 1 TFLOP/s products of 4,096 x 1,024 x 1,024 and more take over a millisecond.
TEST(Measure, HoldsTheClocksAgainstEachOther) {
  const TestFolder folder;
  MadeBench bench({.flop_per_s = 1e12, .event_ratio = 0.5});
  const MeasureProgress done = measure_quietly(request_to(folder / "s.csv"), bench);
  EXPECT_EQ(done.clocks.targets(), 3);
  EXPECT_DOUBLE_EQ(done.clocks.worst_ratio(), 2);
  MadeBench quick({.flop_per_s = 1e16});
  EXPECT_EQ(measure_quietly(request_to(folder / "quick.csv"), quick).clocks.targets(), 0);
}

TEST(Measure, SamplesNameTheLibraryAndItsVersion) {
  const TestFolder folder;
  MeasureRequest request = request_to(folder / "s.csv");
  request.series[0].like.engine = "cublaslt";
  MadeBench bench({});
  measure_quietly(request, bench);
  for (const Sample& sample : read_samples(folder / "s.csv")) {
    EXPECT_EQ(sample.engine, sample.op == "gemm" ? "cublaslt" : "servecast");
    EXPECT_EQ(sample.version, sample.op == "gemm" ? "13.0" : "1");
  }
  MadeBench again({});
  EXPECT_EQ(measure_quietly(request, again).samples, 0);
}

TEST(Measure, TakesSomethingOfEverySeriesInAMinute) {
  const TestFolder folder;
  MeasureRequest request = request_to(folder / "s.csv", 60);
  request.series = standard_series();
  MadeBench bench({});
  measure_quietly(request, bench);
  const auto words = [](const auto& of) {
    return std::tuple{of.engine, of.op, of.dtype, of.kv_dtype, of.mode, of.shape.head_dim};
  };
  std::set<decltype(words(Sample{}))> measured;
  for (const Sample& sample : read_samples(folder / "s.csv")) measured.insert(words(sample));
  for (const Series& series : request.series)
    EXPECT_TRUE(measured.contains(words(series.like))) << series.like.op << ' ' << series.like.mode;
}

TEST(Measure, LeavesOutWhatDoesNotFit) {
  const TestFolder folder;
  MadeBench bench({.largest_m = 256});
  const MeasureProgress done = measure_quietly(request_to(folder / "s.csv"), bench);
  EXPECT_EQ(done.skipped, 6);
  EXPECT_EQ(done.samples, 22);
}

TEST(Measure, RefusesFilesOfOthers) {
  const TestFolder folder;
  std::ofstream(folder / "other.csv") << "gpu,engine,operator,median_s\nh100,vllm,gemm,1\n";
  MadeBench bench({});
  const auto measuring = [&](const char* name) {
    return [&bench, out = folder / name] { measure_quietly(request_to(out), bench); };
  };
  EXPECT_THAT(measuring("other.csv"), ThrowsMessage<UserError>(HasSubstr("other columns")));
  EXPECT_THAT(measuring("s.csv.gz"), ThrowsMessage<UserError>(HasSubstr("row by row")));
  EXPECT_THAT(measuring("none/s.csv"), ThrowsMessage<UserError>(HasSubstr("does the folder exist")));
}

// 1 to 9: median 5, quartiles 3 and 7, so (7 - 3) / 1.349 / 5.
TEST(Repeats, SpreadAndNoiseByHand) {
  const std::vector<double> values{9, 1, 8, 2, 7, 3, 6, 4, 5};
  EXPECT_NEAR(spread_fraction(values), 0.59303, 1e-5);
  EXPECT_NEAR(noise_of_median(values), 0.59303 * 1.25331 / 3, 1e-5);
}

TEST(Repeats, UntilTheMedianIsQuietOrTheCap) {
  const MeasureTarget target{.op = "gemm", .dtype = "bf16", .shape = {.m = 1, .n = 1024, .k = 1024}};
  const auto calls_with = [&](double spread, const RepeatRule& rule) {
    MadeBench bench({.spread = spread});
    bench.prepare(target);
    return repeat(bench, rule)->seconds;
  };
  EXPECT_EQ(calls_with(0, {}).size(), 10u);
  const std::vector<double> some = calls_with(0.05, {});
  EXPECT_GT(some.size(), 10u);
  EXPECT_LT(some.size(), 500u);
  EXPECT_LT(noise_of_median(some), 0.005);
  EXPECT_EQ(calls_with(0.9, {}).size(), 500u);
  EXPECT_LT(calls_with(0.9, {.longest_s = 100e-6}).size(), 30u);
}

TEST(MeasureCommand, SaysWhatIsMissing) {
  const TestFolder folder;
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  EXPECT_EQ(run_calibrate({"measure", "--gpu", "h100_sxm_80g", "--out", folder / "s.csv"}, console), 3);
  EXPECT_THAT(err.str(), HasSubstr("servecast-calibrate measure: "));
}

}  // namespace servecast::measure_test
