#pragma once
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "sim/plan/runs/child_process.h"
#include "sim/plan/runs/evaluator.h"
#include "sim/plan/search/search.h"
#include "sim/plan/study/study.h"

namespace servecast {

/// A study in a folder of its own. The space and all below `base` is what a test gives.
class StudyFile {
 public:
  explicit StudyFile(const std::string& below_base, const std::string& requests = "100") {
    std::ofstream(path()) << "base:\n"
                             "  workload: {generate: {requests: " +
                                 requests +
                                 ", arrivals: {constant: {requests_per_s: 1}},\n"
                                 "    prompt_tokens: {fixed: 100}, output_tokens: {fixed: 10}}}\n"
                                 "  cluster: {node: dgx_h100, nodes: 2, rent: single_gpus}\n"
                                 "  pools: [{name: chat, llm: llama-3.1-8b, gpu: h100_sxm_80g}]\n" +
                                 as_calibrated(below_base);
  }
  std::string path() const { return (folder_ / "study.yaml").string(); }
  Study load() const { return load_study(path()); }

 private:
  /// Formulas are as sure as they say: nothing was measured of them.
  static std::string as_calibrated(std::string text) {
    const std::string key = "promise: {", bars = "error_bars: calibration";
    const std::size_t at = text.find(key);
    if (at == std::string::npos) return text + "promise: {" + bars + "}\n";
    return text.insert(at + key.size(), bars + ", ");
  }

  ScratchFolder folder_{};
};

inline std::string setting(const RunRequest& run, const std::string& path) {
  std::string value;
  for (const std::string& word : run.set)
    if (word.starts_with(path + "=")) value = word.substr(path.size() + 1);
  return value;
}
inline double number(const RunRequest& run, const std::string& path) {
  const std::string value = setting(run, path);
  return value.empty() ? 1 : std::stod(value);
}

/// Instead of an engine: a formula for the p99 of TTFT, and one for what outside APIs bill per hour.
class Formula final : public Evaluator {
 public:
  using Ttft = std::function<double(const RunRequest&)>;
  explicit Formula(Ttft ttft_s, Ttft bill_usd_per_hour = {})
      : ttft_s_(std::move(ttft_s)), bill_usd_per_hour_(std::move(bill_usd_per_hour)) {}

  std::vector<RunResult> evaluate(std::span<const RunRequest> requests) override {
    std::vector<RunResult> results;
    for (const RunRequest& request : requests) {
      asked.push_back(request);
      results.push_back({.key = "k", .summary = summary(ttft_s_(request)), .failure = {}});
      if (bill_usd_per_hour_) add_bill(*results.back().summary, bill_usd_per_hour_(request));
    }
    return results;
  }
  std::vector<RunRequest> asked{};

 private:
  static Summary summary(double ttft_s) {
    Summary s{.duration_s = 100, .requests = {.arrived = 100, .completed = 100}, .requests_per_s = 1};
    s.output_tokens_per_s = 10;
    s.latencies.ttft_s = Statistics{ttft_s, ttft_s, ttft_s, ttft_s, ttft_s, ttft_s};
    s.latencies.tpot_s = Statistics{0.01, 0.01, 0.01, 0.01, 0.01, 0.01};
    s.energy.j_total = 1000 * 100;
    return s;
  }
  static void add_bill(Summary& s, double usd_per_hour) {
    if (usd_per_hour == 0) return;
    s.gateway.bill = {{.item = "GPUs", .usd = 1}, {.item = "API far", .usd = usd_per_hour * s.duration_s / 3600}};
    s.gateway.answered_by = {{.target = "far", .llm_calls = 1}};
  }

  Ttft ttft_s_;
  Ttft bill_usd_per_hour_;
};

}  // namespace servecast
