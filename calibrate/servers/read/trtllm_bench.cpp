#include "calibrate/servers/read/trtllm_bench.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "models/base/counts.h"
#include "models/hw/llm/llm.h"
#include "models/hw/machine/gpu.h"

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

/// As the tool counts them (BYTES_PER_ELEM): it has no MXFP4, whose weights get the 2 bytes of all that it lacks.
double weight_bytes(DataType type) {
  if (type == DataType::nvfp4) return 0.5;
  return type == DataType::mxfp4 ? 2 : facts(type).bytes;
}

BuiltEngine limits_of(const BenchedEngine& e, double weights_gib) {
  const double heads = real(std::max(e.tensor_parallel, e.llm.kv_heads));
  const double token_gib = 2 * real(e.llm.layers) * heads * real(e.llm.head_size) * facts(e.kv).bytes / gib;
  const double left = real(e.tensor_parallel) * e.gpu.hbm_bytes / gib - weights_gib;
  const double in = real(e.prompt_tokens);
  const double out = real(e.output_tokens);
  const double sequences = std::min(cache_fraction * left / (token_gib * (in + out)), most_sequences);
  const double tokens = std::min(sequences * (1 + in / out), most_tokens);
  return {.max_batch_size = std::max(fewest_sequences, rounded_up(sequences, sequence_steps)),
          .max_num_tokens = std::max(fewest_tokens, rounded_up(tokens, token_steps))};
}

}  // namespace

// The tool takes gibibytes of memory and 1e9 bytes of weights for the same unit; so do we.
BuiltEngine trtllm_bench_build(const BenchedEngine& engine) {
  return limits_of(engine, parameters(engine.llm) / 1e9 * weight_bytes(engine.weights));
}

BuiltEngine trtllm_bench_throughput(const BenchedEngine& engine) {
  BuiltEngine limits = limits_of(engine, parameters(engine.llm) / gib * weight_bytes(engine.weights));
  limits.max_num_tokens = std::max(limits.max_num_tokens, engine.prompt_tokens + limits.max_batch_size);
  return limits;
}

}  // namespace servecast
