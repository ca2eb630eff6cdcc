// A measured server beside its forecast, with an executor that follows the simulator's own step times.
#include "calibrate/cli/measuring/serve_beside.h"

#include <gmock/gmock.h>

#include <sstream>

#include "calibrate/cli/cli.h"
#include "calibrate/cli/measuring/measure_serve.h"
#include "calibrate/measure/step_bench.h"
#include "models/base/error.h"
#include "sim/cli/program/console.h"
#include "sim/input/resolve/load_scenario.h"
#include "tests/unit/cli/servecast.h"

namespace servecast::serve_beside_test {

using testing::HasSubstr;
using testing::ThrowsMessage;

/// Steps take a factor of what a scenario's pool says.
class ForecastExecutor final : public StepExecutor {
 public:
  ForecastExecutor(const std::string& scenario, double factor)
      : scenario_(load_scenario(scenario)), latency_(*scenario_.pools[0].latency), factor_(factor) {}
  std::int64_t kv_tokens() const override { return 16 * 400; }
  double now_s() override { return now_s_; }
  void wait_until(double at_s) override { now_s_ = std::max(now_s_, at_s); }
  void run(std::span<const StepPart> parts) override {
    now_s_ += factor_ * latency_.stage(work_of(parts, latency_), 0).seconds;
  }
  void release(std::int64_t) override {}

 private:
  Scenario scenario_;
  const StepLatency& latency_;
  double factor_;
  double now_s_ = 0;
};

std::string trace_text() {
  std::string text = "arrival_s,prompt_tokens,output_tokens\n";
  for (int i = 0; i < 60; ++i)
    text +=
        std::to_string(0.03 * i) + "," + std::to_string(50 + 37 * (i % 11)) + "," + std::to_string(5 + i % 17) + "\n";
  return text;
}

struct ServeBeside : testing::Test {
  ServedBeside served(double factor) {
    const ServeRun run{.llm = "llama-3.1-8b",
                       .gpu = "h100_sxm_80g",
                       .trace = folder.write("trace.csv", trace_text()),
                       .requests = 50,
                       .profile = "h100_sxm_80g.vllm",
                       .folder = folder / "served"};
    return serve_beside_forecast(run, [&](const Llm& llm, const ServerSize& size) {
      EXPECT_EQ(llm.layers, 32);
      EXPECT_EQ(size.step_tokens, 2048);
      EXPECT_EQ(size.context, 420 + 20);  // the 33rd request
      return std::make_unique<ForecastExecutor>(folder / "served/scenario.yaml", factor);
    });
  }
  TestFolder folder;
};

// Measured and forecast are the same run: every time of every request, to the last bit that the file has.
TEST_F(ServeBeside, IsTheSameRun) {
  const ServedBeside both = served(1);
  EXPECT_EQ(both.measured.requests.completed, 50);
  EXPECT_NEAR(both.measured.latencies.ttft_s->p99 / both.forecast.latencies.ttft_s->p99, 1, 1e-8);  // of summary.json
  EXPECT_NEAR(both.measured.latencies.tpot_s->mean / both.forecast.latencies.tpot_s->mean, 1, 1e-8);
  EXPECT_EQ(text_of(folder / "served/measured/requests.csv"), text_of(folder / "served/forecast/requests.csv"));
  EXPECT_THAT(text_of(folder / "served/scenario.yaml"), HasSubstr("num_gpu_blocks_override: 400"));
}

TEST_F(ServeBeside, TellsHowFarTheForecastIsOff) {
  const ServedBeside both = served(1.25);
  EXPECT_NEAR(both.forecast.latencies.tpot_s->mean / both.measured.latencies.tpot_s->mean, 1 / 1.25, 0.05);
  std::ostringstream out;
  print_beside(out, both);
  EXPECT_THAT(out.str(), HasSubstr("50 requests served"));
  EXPECT_THAT(out.str(), HasSubstr("| TPOT mean |"));
}

TEST_F(ServeBeside, WantsRequestsThatComeByThemselves) {
  const std::string trace = folder.write("sessions.csv",
                                         "session,arrival_s,think_s,prompt_tokens,output_tokens\n"
                                         "a,0,,10,5\na,,1,20,5\n");
  EXPECT_THAT(([&] {
                serve_beside_forecast(
                    {.llm = "llama-3.1-8b", .gpu = "h100_sxm_80g", .trace = trace, .folder = folder / "served"},
                    [](const Llm&, const ServerSize&) -> std::unique_ptr<StepExecutor> { return nullptr; });
              }),
              ThrowsMessage<UserError>(HasSubstr("come by themselves")));
}

// Here is no GPU: the trace is read, and then it says so.
TEST_F(ServeBeside, SaysWhatIsMissing) {
  std::ostringstream out;
  std::ostringstream err;
  Console console{.out = out, .err = err};
  const std::string trace = folder.write("trace.csv", trace_text());
  EXPECT_EQ(run_calibrate({"measure", "--gpu", "h100_sxm_80g", "--serve", "llama-3.1-8b", "--trace", trace, "--out",
                           folder / "served"},
                          console),
            3);
  EXPECT_THAT(err.str(), HasSubstr("servecast-calibrate measure: "));
}

}  // namespace servecast::serve_beside_test
