// What MLPerf's rows do not say.
//
// Lengths. OpenOrca of llama2-70b: 24,576 prompts of 48 to 1,021 tokens, 5,463,976 in all (the dataset's lengths as
// FlashLab-MBZUAI/HBFSim lists them, validation/calibration); answers of 1,024 tokens at most, 292 to 294 in the
// mean by the rows, 294.45 by the reference (mlcommons/inference, language/llama2-70b). The answers' spread is that
// of E2E over a TPOT that is nearly the same for all in these rows (median 0.87, P99 3.3 times the mean); the
// prompts' is assumed: 0.4 to 0.9 moves TPOT by 3 %. CNN/DailyMail of llama3.1-8b: exactly 128 tokens come out;
// prompts end at 2,540 (max_input_len of all configurations). Their mean is assumed: 781 words and signs by the
// dataset's card, 7 % more in tokens of Llama 3, 35 of the instruction; so is their spread.
//
// Servers with TensorRT: the submitters' own files, closed/SUBMITTER/configs/SYSTEM/SCENARIO/MODEL.py of
// mlcommons/inference_results_v5.1 (Nebius, Dell, Dell_Broadcom, ASUSTeK, Cisco, HPE, Quanta), all with NVIDIA's
// figures where they are not named below; of Cisco's H100 configs/llama2-70b/SCENARIO/__init__.py, "PP2". Systems
// whose file is missing there have NVIDIA's. They build TensorRT engines and run them in the C++ executor, without
// CUDA graphs: engine trtllm-0.15, not the PyTorch flow of 1.0. Sequences (2,048 in most files, 512 for Interactive)
// are as many as a step has tokens for, at most. Prompts are cut, first come, first served; max_util lets sequences
// start that may have to be paused; nothing is reused (enable_block_reuse).
//
// Servers with vLLM: Red Hat's README of its harness (closed/RedHat/code/llama3.1-8b), and vLLM 0.10's defaults on
// the L40S where it names no limits. LoadGen's --coalesce and repeated samples' prefixes are left out.
#include "calibrate/servers/read/mlperf/setup.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "calibrate/servers/read/csv_rows.h"

namespace servecast {
namespace {

constexpr std::array<MlperfBenchmark, 2> benchmarks{{
    {"llama2-70b", "llama-2-70b", 222, 293, "{lognormal: {mean: 222, sigma: 0.7}, min: 48, max: 1021}",
     "{lognormal: {mean: 293, sigma: 0.55}, max: 1024}"},
    {"llama3.1-8b", "llama-3.1-8b", 870, 128, "{lognormal: {mean: 870, sigma: 0.5}, max: 2540}", "{fixed: 128}"},
}};

/// The first line that fits counts.
constexpr std::array<MlperfSetup, 9> setups{{
    {"TensorRT", "llama2-70b", "h200_", "", "Interactive", "trtllm-0.15", 1, 256, 256, 0, "fp8", 0.9},
    {"TensorRT", "llama2-70b", "h200_", "", "", "trtllm-0.15", 1, 1536, 1536, 0, "fp8", 0.9},
    {"TensorRT", "llama2-70b", "h100_", "", "", "trtllm-0.15", 2, 1024, 1024, 0, "fp8", 0.95},
    {"TensorRT", "llama3.1-8b", "h200_", "HPE", "", "trtllm-0.15", 1, 2048, 12000, 0, "fp8", 0.99},
    {"TensorRT", "llama3.1-8b", "h200_", "", "", "trtllm-0.15", 1, 1536, 1536, 0, "fp8", 0.9},
    {"vLLM 0.10", "llama3.1-8b", "h100_", "RedHat", "Server", "vllm-0.12", 1, 512, 1024, 256, "auto", 0.91},
    {"vLLM 0.10", "llama3.1-8b", "h100_", "RedHat", "Offline", "vllm-0.12", 1, 1024, 4096, 0, "fp8", 0.9},
    {"vLLM 0.10", "llama3.1-8b", "l40s_", "RedHat", "Server", "vllm-0.12", 1, 256, 2048, 0, "fp8", 0.96},
    {"vLLM 0.10", "llama3.1-8b", "l40s_", "RedHat", "Offline", "vllm-0.12", 1, 512, 16384, 256, "fp8", 0.95},
}};

bool fits(std::string_view wanted, const std::string& said) { return wanted.empty() || wanted == said; }

}  // namespace

const MlperfBenchmark& mlperf_benchmark(const std::string& name) {
  const auto found = std::ranges::find_if(benchmarks, [&](const MlperfBenchmark& b) {
    return name == b.name || name.starts_with(std::string(b.name) + "-99");
  });
  if (found == benchmarks.end())
    throw NoMatch(fmt::format("what benchmark '{}' sends is not known; llama2-70b and llama3.1-8b are", name));
  return *found;
}

const MlperfSetup& mlperf_setup(const MlperfSubmission& submission) {
  const auto found = std::ranges::find_if(setups, [&](const MlperfSetup& s) {
    return submission.software.starts_with(s.software) && submission.benchmark == s.benchmark &&
           submission.gpu.starts_with(s.gpu) && fits(s.submitter, submission.submitter) &&
           fits(s.scenario, submission.scenario);
  });
  if (found == setups.end())
    throw NoMatch(fmt::format("how {} of {} served {} on {} with '{}' is not known", submission.scenario,
                              submission.submitter, submission.benchmark, submission.gpu, submission.software));
  return *found;
}

}  // namespace servecast
