// A fit must find the terms that made the measurements.
#include "calibrate/servers/fit_engine.h"

#include <gtest/gtest.h>

#include "calibrate/servers/forecasts.h"
#include "calibrate/servers/measured_server.h"
#include "calibrate/servers/own_runs.h"
#include "calibrate/servers/read/split.h"
#include "models/base/error.h"
#include "sim/input/library/hardware.h"
#include "sim/input/library/llm_config.h"
#include "sim/plan/runs/child_process.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/files/text_file.h"

namespace servecast::fit_engine_test {

const std::string two_rates = R"(
workload:
  generate:
    arrivals: {stages: [{requests_per_s: 2, duration_s: 60}, {requests_per_s: 12, duration_s: 60, pause_s: 20}]}
    prompt_tokens: {fixed: 300}
    output_tokens: {fixed: 150}
cluster: {node: dgx_h100}
pools:
  - {name: server, llm: llama-2-7b, gpu: h100_sxm_80g}
)";

nlohmann::ordered_json every_term(EngineTerms terms) {
  nlohmann::ordered_json object;
  JsonWriter writer(object);
  terms.fields(writer);
  return object;
}

TEST(EngineYaml, ReadsBackAsItWas) {
  const ScratchFolder scratch;
  for (const std::string& name : list_engines()) {
    const EngineProfile engine = load_engine(name, {});
    const std::string file = scratch / (name + ".yaml");
    write_text(file, engine_yaml(engine));
    const EngineProfile read = load_engine(file, {});
    EXPECT_EQ(engine_yaml(read), engine_yaml(engine));
    EXPECT_EQ(every_term(read.step), every_term(engine.step));
    EXPECT_NEAR(read.request_path_s, engine.request_path_s, 1e-6 * engine.request_path_s);
    EXPECT_EQ(read.memory.overhead_bytes, engine.memory.overhead_bytes);
    EXPECT_EQ(read.start.layer_init_s, engine.start.layer_init_s);
  }
}

// What a bundled file calls fitted is fitted on systems that it names, and the report keeps those apart.
TEST(EngineYaml, FilesNameWhatTheyWereFittedOn) {
  for (const std::string name : {"vllm-0.15", "trtllm-0.15", "trtllm-1.0"}) {
    const EngineProfile engine = load_engine(name, {});
    EXPECT_EQ(engine.basis, "fitted");
    ASSERT_FALSE(engine.fitted_on.empty()) << name;
    for (const FittedSystem& f : engine.fitted_on) {
      EXPECT_EQ(load_gpu(f.gpu, {}).name, f.gpu);
      EXPECT_EQ(load_llm(f.llm, {}).name, f.llm);
      EXPECT_TRUE(is_fitted_on(name, f.gpu, f.llm, f.weights));
      EXPECT_NE(split_text().find("| " + name + " | " + f.gpu + " | " + f.llm + " |"), std::string::npos);
    }
  }
  EXPECT_FALSE(is_fitted_on("vllm-0.15", "h200_sxm_141g", "gpt-oss-120b", "mxfp4"));
}

// Measurements made by an engine with 9 ms and 60 us, fitted from one with 4.3 ms and 42 us. Of first tokens medians
// count; means of 1 s, as of stalls, do not.
TEST(FitEngine, FindsTheTermsThatMadeTheMeasurements) {
  const ScratchFolder scratch;
  EngineProfile start = load_engine("vllm-0.15", {});
  start.request_path_s = 4.263e-3;
  start.frontend_sequence_s = 42e-6;
  EngineProfile truth = start;
  truth.request_path_s = 9e-3;
  truth.frontend_sequence_s = 60e-6;
  write_text(scratch / "truth.yaml", engine_yaml(truth));
  write_text(scratch / "two_rates.yaml", two_rates);
  std::vector<MeasuredServer> servers{{.name = "two rates", .scenario = two_rates}};
  for (const char* name : {"stage 1", "stage 2"}) servers[0].stages.push_back({.title = name, .request_class = name});
  ForecastOptions how{.program = sibling_program("servecast"), .engine = scratch / "truth.yaml", .at_a_time = 2};
  const std::vector<Forecast> made = forecast(servers, how);
  ASSERT_TRUE(made[0].summary) << made[0].complaint;
  for (MeasuredStage& stage : servers[0].stages) {
    for (const ServerFigure figure : {ServerFigure::ttft_p50, ServerFigure::tpot_mean})
      stage.measured.push_back({figure, *figure_of(*made[0].summary, stage, figure)});
    stage.measured.push_back({ServerFigure::ttft_mean, 1});
  }
  how.engine.clear();
  const EngineFit fit = fit_engine(start, servers, how);
  EXPECT_EQ(fit.figures, 4);
  EXPECT_NEAR(fit.engine.request_path_s, 9e-3, 0.05 * 9e-3);
  EXPECT_GT(fit.engine.frontend_sequence_s, start.frontend_sequence_s);            // few sequences show little of it
  EXPECT_NEAR(fit.engine.step.all_reduce_wait_s, start.step.all_reduce_wait_s, 1e-9);  // one GPU: it cannot show
  EXPECT_LT(fit.median_error_after, 0.005);
}

// Servers that work offline have no other figure.
TEST(FitEngine, TakesTokensPerSecond) {
  const EngineProfile start = load_engine("vllm-0.15", {});
  std::vector<MeasuredServer> servers{{.name = "two rates", .scenario = two_rates}};
  servers[0].stages.push_back({.title = "all", .measured = {{ServerFigure::output_tokens_per_s, 1000}}});
  const EngineFit fit = fit_engine(start, servers, {.program = sibling_program("servecast"), .at_a_time = 2});
  EXPECT_EQ(fit.figures, 1);
}

TEST(OwnRuns, RowsOfOneScenarioAreOneServer) {
  const ScratchFolder scratch;
  write_text(scratch / "a.yaml", two_rates);
  write_text(scratch / "runs.csv",
             "scenario,class,ttft_mean_s,tpot_mean_s\na.yaml,stage 1,0.02,0.007\na.yaml,stage 2,0.03,0.008\n");
  const auto servers = own_servers(scratch / "runs.csv");
  ASSERT_EQ(servers.size(), 1u);
  ASSERT_EQ(servers[0].stages.size(), 2u);
  EXPECT_EQ(servers[0].stages[1].request_class, "stage 2");
  EXPECT_EQ(servers[0].stages[1].measured[0].value, 0.03);
}

TEST(OwnRuns, MedianOfFirstTokensIsReadWhereItIsGiven) {
  const ScratchFolder scratch;
  write_text(scratch / "a.yaml", two_rates);
  write_text(scratch / "runs.csv", "scenario,class,ttft_mean_s,tpot_mean_s,ttft_p50_s\na.yaml,,0.02,0.007,0.018\n");
  const Measurement last = own_servers(scratch / "runs.csv")[0].stages[0].measured.back();
  EXPECT_EQ(last.figure, ServerFigure::ttft_p50);
  EXPECT_EQ(last.value, 0.018);
}

TEST(OwnRuns, FiguresAreAboveZero) {
  const ScratchFolder scratch;
  write_text(scratch / "a.yaml", two_rates);
  for (const std::string figure : {"0", "nan", "inf", "-1"}) {
    write_text(scratch / "runs.csv", "scenario,class,ttft_mean_s,tpot_mean_s\na.yaml,,0.02," + figure + "\n");
    try {
      own_servers(scratch / "runs.csv");
      ADD_FAILURE() << figure;
    } catch (const UserError& error) {
      EXPECT_EQ(error.what(),
                (scratch / "runs.csv").string() + ":2: column 'tpot_mean_s' must be above 0, not " + figure);
    }
  }
}

}  // namespace servecast::fit_engine_test
