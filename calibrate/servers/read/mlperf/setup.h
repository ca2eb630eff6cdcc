#pragma once
#include <cstdint>
#include <string>

namespace servecast {

/// What a benchmark sends.
struct MlperfBenchmark {
  const char* name;  // in a row, without the accuracy target behind it
  const char* llm;   // bundled
  std::int64_t mean_prompt_tokens;
  double mean_output_tokens;  // as rows log them
  const char* prompt_tokens;  // YAML
  const char* output_tokens;
};
/// Throws NoMatch where there is none of this name ("llama2-70b-99.9" is llama2-70b).
const MlperfBenchmark& mlperf_benchmark(const std::string& name);

/// How a submission served.
struct MlperfSetup {
  const char* software;   // a row's begins with it
  const char* benchmark;  // see MlperfBenchmark::name
  const char* gpu;        // a bundled one's name begins with it: all boards of a chip
  const char* submitter;  // empty: all others
  const char* scenario;   // likewise
  const char* engine;     // bundled
  int stages;             // of the pipeline; a replica has as many GPUs
  int sequences;
  int step_tokens;
  int chunk_tokens;  // of one prompt in a step (vLLM's long_prefill_token_threshold); 0: no limit
  const char* kv_cache_dtype;
  double memory_fraction;
};
struct MlperfSubmission {
  std::string software{};
  std::string benchmark{};
  std::string gpu{};
  std::string submitter{};
  std::string scenario{};
};
/// Throws NoMatch where its configuration is not known.
const MlperfSetup& mlperf_setup(const MlperfSubmission& submission);

}  // namespace servecast
