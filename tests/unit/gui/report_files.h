#pragma once
#include <QString>
#include <string>

#include "gui/data/report/report.h"
#include "sim/plan/report/plan_report.h"
#include "tests/unit/report/files.h"

namespace servecast::gui {

inline const std::string requests_head =
    "request_id,arrival_s,scheduled_s,first_token_s,finish_s,prompt_tokens,output_tokens,pool,replica,preemptions,"
    "status\n";
inline const std::string series_head =
    "time_s,pool,arrivals,running,waiting,kv_used_fraction,busy_gpus,prompt_tokens_per_s,output_tokens_per_s,watts,"
    "usd\n";

/// Three requests: one served, one rejected, one that waited long.
inline const std::string three_requests = requests_head +
                                          "0,1,1.5,2,4,100,5,chat,0,0,completed\n"
                                          "1,2,,,,900,0,chat,,0,rejected\n"
                                          "2,2.5,5.5,6,6.25,50,2,code,1,3,completed\n";

/// A report folder with these requests and one second of series.
inline std::string write_report(const TemporaryFolder& folder, const std::string& name,
                                const std::string& requests = three_requests,
                                const Summary& summary = {.version = "0.1.0", .duration_s = 8}) {
  const std::filesystem::path path = folder / name;
  std::filesystem::create_directories(path);
  put_text(path / "summary.json", to_json(summary));
  put_text(path / "requests.csv", requests);
  put_text(path / "series.csv", series_head +
                                    "0,chat,1,2,0,0.5,1,100,10,400,0.01\n0,code,1,0,1,0.25,0,0,0,90,0.02\n"
                                    "1,chat,0,4,0,0.75,1,0,20,410,0.03\n1,code,0,1,0,0.5,1,9,1,300,0.04\n");
  return path.string();
}

/// Products: held out are +10, -20, +30 and 0 %, fitted on is one. Copies: two, none held out.
inline const std::string two_operators =
    "profile,operator,shape,measured_s,fitted_s,held_out,extrapolated\n"
    "An H100,gemm bf16,\"m 1, n 8\",0.001,0.0011,1,0\n"
    "An H100,gemm bf16,\"m 2, n 8\",0.001,0.0008,1,0\n"
    "An H100,gemm bf16,\"m 4, n 8\",0.002,0.0026,1,1\n"
    "An H100,gemm bf16,\"m 8, n 8\",0.004,0.004,1,0\n"
    "An H100,gemm bf16,\"m 16, n 8\",0.008,0.016,0,0\n"
    "An H100,h2d,bytes 64,0.0001,0.0001,0,0\n"
    "An H100,h2d,bytes 128,0.0002,0.0001,0,0\n";

/// The plan.sqlite of three designs of this scenario: one breaks its promise, one is chosen, one does not fit.
inline std::string write_plan(const TemporaryFolder& folder, const std::string& scenario_file) {
  PlanReport plan{.name = "chat", .goal = "least_cost", .scenario_file = scenario_file};
  plan.designs = {{.design = 0,
                   .settings = {"replicas=1"},
                   .set = {"pools[0].replicas=1"},
                   .verdict = "breaks",
                   .why = "TTFT p99 of 0.9 s is above 0.5 s",
                   .usd_per_hour = 2,
                   .ttft_p99_s = 0.9},
                  {.design = 1,
                   .settings = {"replicas=3"},
                   .set = {"pools[0].replicas=3"},
                   .verdict = "chosen",
                   .usd_per_hour = 4,
                   .ttft_p99_s = 0.2},
                  {.design = 2, .settings = {"replicas=64"}, .verdict = "impossible"}};
  write_plan_tables(folder / "plan.sqlite", plan);
  return (folder / "plan.sqlite").string();
}

inline std::string write_residuals(const TemporaryFolder& folder, const std::string& text = two_operators) {
  put_text(folder / "residuals.csv", text);
  return (folder / "residuals.csv").string();
}

}  // namespace servecast::gui
