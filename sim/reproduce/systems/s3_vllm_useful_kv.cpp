#include <sstream>

#include "models/policy/kv_cache.h"
#include "sim/input/files/line_reader.h"
#include "sim/reproduce/probes/public_traces.h"
#include "sim/reproduce/probes/simulated.h"
#include "sim/reproduce/reproduction.h"

namespace servecast::s3_vllm_useful_kv {
namespace {

constexpr const char* lengths = "nanoflow_sharegpt.csv";  // lengths of ShareGPT as Nanoflow has them
constexpr std::int64_t block_tokens = 16;
constexpr std::int64_t longest = 2048;  // OPT-13B takes no more

/// Filled slots by slots held, over the time that all requests of a file of lengths decode.
double useful_fraction(const std::string& policy, const std::string& file) {
  const auto cache = Registry<KvCache>::all().at(policy).prepare()->make();
  cache->resize(16'000'000);
  double filled = 0;
  double held = 0;
  LineReader lines(file);
  for (lines.next(); const auto line = lines.next();) {
    std::istringstream row{std::string(line->text)};
    std::string timestamp, prompt, output;
    std::getline(std::getline(std::getline(row, timestamp, ','), prompt, ','), output, ',');
    const Request r{.prompt_tokens = std::stoll(prompt), .output_tokens = std::stoll(output)};
    if (r.prompt_tokens == 0 || r.prompt_tokens + r.output_tokens > longest) continue;
    for (std::int64_t tokens = r.prompt_tokens; tokens < r.prompt_tokens + r.output_tokens; ++tokens) {
      filled += static_cast<double>(tokens);
      held += static_cast<double>(block_tokens * cache->blocks_for(r, tokens));
    }
  }
  return filled / held;
}

Quantity useful(const std::string& policy) {
  return own_probe({.scenario = "useful KV, " + policy, .trace = lengths}, [policy](const PublicTraces& traces) {
    return std::vector<double>{useful_fraction(policy, traces.find(lengths))};
  });
}

}  // namespace

PaperSystem all_figures() {
  return {.id = "S3",
          .title = "vLLM: useful KV",
          .source = "SOSP 2023, figure 2: share of KV memory that holds tokens, ShareGPT",
          .rows = {{.figure = "in blocks of 16",
                    .unit = as_percent(1),
                    .published = exactly(0.963),
                    .asked = at_least(0.96),
                    .ours = useful("paged")},
                   {.figure = "Orca (Max)",
                    .unit = as_percent(1),
                    .published = exactly(0.204),
                    .asked = at_most(0.45),
                    .ours = useful("contiguous_max")},
                   {.figure = "Orca (Pow2)",
                    .unit = as_percent(1),
                    .published = exactly(0.268),
                    .asked = at_most(0.96),
                    .ours = useful("contiguous_pow2")}}};
}

}  // namespace servecast::s3_vllm_useful_kv
