#include "models/policy/stages/api_latency.h"

#include <algorithm>

#include "models/base/stable_math.h"

namespace servecast {
namespace {

const std::vector<double> quantiles{0, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1};

/// LLMPerf's "inter-token latency" is E2E by output tokens: seconds / token of the whole request. What is left beside
/// the median TTFT, by the tokens behind the first.
MeasuredTime tpot_of(std::vector<double> per_token_s, double ttft_s, double output_tokens) {
  for (double& s : per_token_s) s = (s * output_tokens - ttft_s) / (output_tokens - 1);
  return {.fractions = quantiles, .seconds = std::move(per_token_s)};
}

PublishedApi llmperf(std::string_view name, std::string_view help, std::vector<double> ttft_s,
                     std::vector<double> per_token_s, double output_tokens) {
  const double median_s = ttft_s[2];
  return {.name = name,
          .help = help,
          .ttft = {.fractions = quantiles, .seconds = std::move(ttft_s)},
          .tpot = tpot_of(std::move(per_token_s), median_s, output_tokens),
          .prompt_tokens = 550};
}

}  // namespace

double MeasuredTime::draw(Rng& rng) const {
  const double u = rng.uniform();
  const auto above = static_cast<std::size_t>(std::ranges::upper_bound(fractions, u) - fractions.begin());
  if (above == 0) return seconds.front();
  if (above == fractions.size()) return seconds.back();
  const double along = (u - fractions[above - 1]) / (fractions[above] - fractions[above - 1]);
  const double from = stable::log(seconds[above - 1]);
  return stable::exp(from + along * (stable::log(seconds[above]) - from));
}

std::string ApiQuantiles::problem() const {
  if (fractions.empty() || ttft_s.size() != fractions.size() || tpot_s.size() != fractions.size())
    return "'fractions', 'ttft_s' and 'tpot_s' must have as many entries as each other, one or more";
  for (const std::vector<double>* list : {&fractions, &ttft_s, &tpot_s})
    if (!std::ranges::is_sorted(*list)) return "'fractions', 'ttft_s' and 'tpot_s' must ascend";
  if (std::ranges::adjacent_find(fractions) != fractions.end()) return "a fraction stands twice in 'fractions'";
  return {};
}

// LLMPerf's leaderboard (ray-project/llmperf-leaderboard, raw_data/summary, 19 to 26 December 2023):
// Llama-2-70B-chat, 150 requests of 550 prompt tokens and about 150 outputs, 5 at a time: least, P25, P50, P75, P90,
// P95, P99, most.
std::span<const PublishedApi> published_apis() {
  static const std::vector<PublishedApi> all{
      llmperf("anyscale_llama_2_70b", "Anyscale Endpoints, Llama-2-70B (LLMPerf, 12/2023)",
              {0.175, 0.193, 0.2128, 0.2973, 0.3212, 0.362, 0.4745, 0.5928},
              {0.01123, 0.01323, 0.01456, 0.01706, 0.0195, 0.02272, 0.03874, 0.04182}, 151),
      llmperf("bedrock_llama_2_70b", "Amazon Bedrock, Llama-2-70B (LLMPerf, 12/2023)",
              {0.2857, 0.3745, 0.3877, 0.4149, 0.4904, 0.5421, 0.687, 0.7173},
              {0.04502, 0.04582, 0.04623, 0.0474, 0.0504, 0.05168, 0.0536, 0.05404}, 151),
      llmperf("together_llama_2_70b", "Together AI, Llama-2-70B (LLMPerf, 12/2023)",
              {0.4559, 0.5463, 0.6353, 0.6742, 0.7336, 0.7701, 0.8709, 0.8913},
              {0.01257, 0.01459, 0.01533, 0.01618, 0.01765, 0.01927, 0.02298, 0.0401}, 157)};
  return all;
}

std::vector<std::string> latency_names() {
  std::vector<std::string> names{"stated"};
  for (const PublishedApi& api : published_apis()) names.emplace_back(api.name);
  return names;
}

}  // namespace servecast
