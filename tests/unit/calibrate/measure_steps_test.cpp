// Whole steps: which are taken, how they are kept, and how they are held against a profile.
#include "calibrate/measure/measure_steps.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <fstream>
#include <set>

#include "calibrate/cli/measuring/measured_models.h"
#include "calibrate/measure/compare_steps.h"
#include "calibrate/measure/step_shapes.h"
#include "models/base/error.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/kernel_profile_file.h"
#include "tests/unit/calibrate/calibrate.h"

namespace servecast::measure_steps_test {

using testing::HasSubstr;

const StepModel four_layers{.llm = "llama-3.1-8b", .layers = 4};

/// A GPU whose steps take what a latency says times a factor.
class MadeStepBench final : public StepBench {
 public:
  struct Nature {
    double factor = 1;
    double spread = 0;
    std::int64_t most_decodes = 1 << 20;  // that fit
    int throttled_runs = 0;
    int fails_after = -1;  // shapes; then the device is lost
  };
  MadeStepBench(const StepLatency& latency, const Nature& nature) : latency_(latency), nature_(nature) {}
  std::string driver() const override { return "1.0"; }
  bool prepare(const StepShape& shape) override {
    if (nature_.fails_after == static_cast<int>(order.size())) throw DeviceError("the device is lost");
    now_s_ += 0.1;
    if (shape.decodes > nature_.most_decodes) return false;
    order.push_back(shape);
    seconds_ = nature_.factor * latency_.stage(work_of(parts_of(shape), latency_), 0).seconds;
    return true;
  }
  TimedCalls run(int count) override {
    TimedCalls calls{.clock_mhz = 1980, .throttled = nature_.throttled_runs-- > 0};
    for (int i = 0; i < count; ++i) {
      calls.seconds.push_back(seconds_ * (1 + nature_.spread * (2 * rng_.uniform() - 1)));
      now_s_ += calls.seconds.back();
    }
    return calls;
  }
  double now_s() override { return now_s_; }
  void pause(double seconds) override { now_s_ += seconds; }

  std::vector<StepShape> order{};

 private:
  const StepLatency& latency_;
  Nature nature_;
  Rng rng_{1, "made step bench"};
  double seconds_ = 0;
  double now_s_ = 0;
};

class MeasureSteps : public testing::Test {
 protected:
  MeasureProgress measure(const std::string& out, const MadeStepBench::Nature& nature, double budget_s = 1e6) {
    MadeStepBench bench(*latency_, nature);
    const MeasureProgress done = measure_steps(request(out, budget_s), bench, [](const MeasureProgress&) {});
    spent_s_ = bench.now_s();
    return done;
  }
  StepsRequest request(const std::string& out, double budget_s = 1e6) const {
    return {.gpu = "h100_sxm_80g",
            .version = "1",
            .model = four_layers,
            .out = out,
            .budget_s = budget_s,
            .shapes = standard_step_shapes()};
  }
  static std::unique_ptr<StepLatency> make_latency() {
    const KernelProfile profile = load_profile("h100_sxm_80g.vllm", {});
    return step_latency_of(load_gpu("h100_sxm_80g", {}), profile, measured_shard(four_layers),
                           limits_of(standard_step_shapes(), 16));
  }

  TestFolder folder_;
  std::unique_ptr<StepLatency> latency_ = make_latency();
  double spent_s_ = 0;
};

TEST(StepShapes, AreManyAndMixed) {
  const std::vector<StepShape> shapes = standard_step_shapes();
  EXPECT_EQ(shapes.size(), 90u);
  EXPECT_EQ((std::set<StepShape>{shapes.begin(), shapes.end()}).size(), shapes.size());
  const auto mixed = [](const StepShape& s) { return s.decodes > 0 && s.prompts > 0; };
  EXPECT_EQ(std::ranges::count_if(shapes, mixed), 72);
  // Every tenth of the list has decodes and prompts, short and long.
  for (std::size_t first = 0; first + 9 <= shapes.size(); first += 9) {
    std::set<std::int64_t> contexts;
    for (std::size_t i = first; i < first + 9; ++i) contexts.insert(shapes[i].decode_context);
    EXPECT_GE(contexts.size(), 3u) << "from " << first;
  }
}

TEST(StepShapes, AsParts) {
  const auto parts =
      parts_of({.decodes = 2, .decode_context = 128, .prompts = 1, .prompt_tokens = 512, .prompt_prefix = 64});
  ASSERT_EQ(parts.size(), 3u);
  EXPECT_EQ(parts[1], (StepPart{.sequence = 1, .before_tokens = 127, .tokens = 1, .decodes = true, .emits = true}));
  EXPECT_EQ(parts[2], (StepPart{.sequence = 2, .before_tokens = 64, .tokens = 512, .emits = true}));
  const StepLimits limits =
      limits_of({{.decodes = 2, .decode_context = 128}, {.prompts = 1, .prompt_tokens = 512}}, 16);
  EXPECT_EQ(limits.tokens, 512);
  EXPECT_EQ(limits.sequences, 2);
  EXPECT_EQ(limits.context, 512);
  EXPECT_EQ(limits.kv_blocks, 32);  // 2 x 8 of the decodes are fewer
}

TEST_F(MeasureSteps, MeasuresEveryShapeOnce) {
  const MeasureProgress done = measure(folder_ / "steps.csv", {.spread = 0.01});
  EXPECT_EQ(done.samples, 90);
  const std::vector<StepSample> samples = read_step_samples(folder_ / "steps.csv");
  ASSERT_EQ(samples.size(), 90u);
  EXPECT_EQ(samples[0].model, four_layers);
  EXPECT_EQ(samples[7].shape, standard_step_shapes()[7]);
  for (const StepSample& s : samples) EXPECT_LT(s.noise_fraction, 0.02);
  EXPECT_EQ(measure(folder_ / "steps.csv", {}).samples, 0);
}

TEST_F(MeasureSteps, KeepsTheBudget) {
  measure(folder_ / "whole.csv", {});
  const double whole_s = spent_s_;
  const MeasureProgress half = measure(folder_ / "half.csv", {}, whole_s / 2);
  EXPECT_LE(spent_s_, whole_s / 2);
  EXPECT_GT(half.samples, 20);
  EXPECT_LT(half.samples, 90);
}

TEST_F(MeasureSteps, GoesOnWhereItStopped) {
  const std::string out = folder_ / "steps.csv";
  EXPECT_THROW(measure(out, {.fails_after = 33}), DeviceError);
  EXPECT_EQ(read_step_samples(out).size(), 33u);
  std::ofstream(out, std::ios::app) << "h100_sxm_80g,1.0,1,lla";  // killed while it wrote
  const MeasureProgress done = measure(out, {});
  EXPECT_EQ(done.found, 33);
  EXPECT_EQ(done.samples, 57);
  measure(folder_ / "whole.csv", {});
  EXPECT_EQ(text_of(out), text_of(folder_ / "whole.csv"));
}

TEST_F(MeasureSteps, LeavesOutWhatDoesNotFitOrThrottles) {
  const MeasureProgress small = measure(folder_ / "small.csv", {.most_decodes = 32});
  EXPECT_EQ(small.skipped, 3 * 7);
  EXPECT_EQ(small.samples, 90 - 21);
  EXPECT_EQ(measure(folder_ / "hot.csv", {.throttled_runs = 3}).throttled, 1);  // three tries of the first
}

// All steps take 8 % longer than the profile says.
TEST_F(MeasureSteps, AreHeldAgainstTheSumOfTheirOperators) {
  measure(folder_ / "steps.csv", {.factor = 1.08});
  const auto samples = read_step_samples(folder_ / "steps.csv");
  const StepErrors errors = errors_of(compared_with("h100_sxm_80g.vllm", four_layers, samples));
  EXPECT_EQ(errors.steps, 90);
  EXPECT_NEAR(errors.median, 1 - 1 / 1.08, 1e-9);
  EXPECT_NEAR(errors.bias, 1 / 1.08 - 1, 1e-9);
  const Outcome out =
      calibrate_with({"steps", "h100_sxm_80g.vllm", folder_ / "steps.csv", "--out", folder_ / "c.csv"});
  EXPECT_EQ(out.status, 0) << out.err;
  EXPECT_THAT(out.out, HasSubstr("llama-3.1-8b, 4 layers, tensor_parallel 1: 90 steps"));
  EXPECT_THAT(out.out, HasSubstr("off by 7.4 % in the median"));
}

// By hand: two decodes of 100 tokens and a prompt of 300 are 302 tokens and three rows of the LM head.
TEST(StepPart, AreTheWorkThatTheSimulatorCounts) {
  const std::unique_ptr<StepLatency> latency =
      step_latency_of(load_gpu("h100_sxm_80g", {}), load_profile("h100_sxm_80g.vllm", {}),
                      measured_shard(four_layers), {.tokens = 512});
  const StepWork work =
      work_of(parts_of({.decodes = 2, .decode_context = 100, .prompts = 1, .prompt_tokens = 300}), *latency);
  EXPECT_EQ(work.tokens(), 302);
  EXPECT_EQ(work.decode_kv_tokens, 200);
  EXPECT_EQ(work.prefill_pairs, 300 * 301 / 2);
  EXPECT_EQ(work.emitted_tokens, 3);
  EXPECT_GT(work.prefill_attention_s, 0);
}

Outcome measured(std::vector<std::string> words) {
  words.insert(words.begin(), {"measure", "--gpu", "h100_sxm_80g"});
  return calibrate_with(words);
}

TEST(MeasureStepsCommand, RefusesWhatItCannotDo) {
  const TestFolder folder;
  const Outcome experts = measured({"--step", "mixtral-8x7b", "--out", folder / "s.csv"});
  EXPECT_EQ(experts.status, 2);
  EXPECT_THAT(experts.err, HasSubstr("has experts, for which there is no step of our kernels"));
  EXPECT_THAT(measured({"--step", "llama-3.1-8b", "--layers", "99", "--out", folder / "s.csv"}).err,
              HasSubstr("llama-3.1-8b has 32 layers; --layers 99 is more"));
  EXPECT_THAT(measured({"--layers", "2", "--out", folder / "s.csv"}).err, HasSubstr("--step"));
  EXPECT_THAT(measured({"--profile", "h100_sxm_80g.vllm", "--out", folder / "s.csv"}).err,
              HasSubstr("add --step or --serve"));
  EXPECT_EQ(measured({"--step", "llama-3.1-8b", "--profile", "nobodys", "--out", folder / "s.csv"}).status, 2);
  EXPECT_THAT(measured({"--serve", "llama-3.1-8b", "--out", folder / "s"}).err, HasSubstr("--trace"));
  EXPECT_EQ(measured({"--serve", "llama-3.1-8b", "--step", "llama-3.1-8b", "--trace", "x", "--out", "y"}).status, 2);
}

}  // namespace servecast::measure_steps_test
