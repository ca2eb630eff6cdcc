#include "calibrate/servers/trtllm_bench.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/hw/gpu.h"
#include "models/hw/llm.h"

namespace servecast {
namespace {

constexpr double gib = 1024.0 * 1024 * 1024;
constexpr double cache_fraction = 0.95;
constexpr double most_sequences = 4096;
constexpr double most_tokens = 32768;

/// Values below `below` are rounded up to a multiple of `unit`.
struct Rounding {
  double below;
  double unit;
};
constexpr std::array<Rounding, 3> sequence_steps{{{256, 32}, {1024, 128}, {most_sequences + 1, 256}}};
constexpr std::array<Rounding, 3> token_steps{{{4096, 256}, {8192, 512}, {most_tokens + 1, 1024}}};
constexpr std::int64_t fewest_sequences = 64;
constexpr std::int64_t fewest_tokens = 2048;

std::int64_t rounded_up(double value, const std::array<Rounding, 3>& steps) {
  const auto step = std::ranges::find_if(steps, [&](const Rounding& r) { return value < r.below; });
  return static_cast<std::int64_t>(step->unit * std::ceil(value / step->unit));
}

}  // namespace

// The tool takes gibibytes of memory and 1e9 bytes of weights for the same unit; so do we.
BuiltEngine trtllm_bench_build(const Gpu& gpu, const Llm& llm, DataType type, std::int64_t tensor_parallel,
                               std::int64_t prompt_tokens, std::int64_t output_tokens) {
  const double number_bytes = facts(type).bytes;
  const double gpus = static_cast<double>(tensor_parallel);
  const double heads = static_cast<double>(std::max(tensor_parallel, llm.kv_heads));
  const double token_gib =
      2 * static_cast<double>(llm.layers) * heads * static_cast<double>(llm.head_size) * number_bytes / gib;
  const double left = gpus * gpu.hbm_bytes / gib - parameters(llm) / 1e9 * number_bytes;
  const double in = static_cast<double>(prompt_tokens);
  const double out = static_cast<double>(output_tokens);
  const double sequences = std::min(cache_fraction * left / (token_gib * (in + out)), most_sequences);
  const double tokens = std::min(sequences * (1 + in / out), most_tokens);
  return {.max_batch_size = std::max(fewest_sequences, rounded_up(sequences, sequence_steps)),
          .max_num_tokens = std::max(fewest_tokens, rounded_up(tokens, token_steps))};
}

}  // namespace servecast
