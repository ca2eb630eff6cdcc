#include "models/policy/shared/replica_capacity.h"

#include <algorithm>
#include <cmath>

#include "models/base/counts.h"

namespace servecast {
namespace {

constexpr double most_busy_fraction = 0.95;

std::int64_t whole(double tokens) { return static_cast<std::int64_t>(std::max(1.0, tokens)); }

}  // namespace

double SteadyCapacity::most_prompt_share(double prompt_s) const {
  if (!bounds_.ttft_s || prompt_s == 0) return most_busy_fraction;
  const double stages = real(bounds_.stages);
  const double u = 2 * (*bounds_.ttft_s - stages * prompt_s) / prompt_s;
  return u > 0 ? std::min(most_busy_fraction, u / (1 + u)) : 0;
}

SteadyCapacity::Point SteadyCapacity::at(std::int64_t sequences, double prompt_tokens, double output_tokens) const {
  const double stages = real(bounds_.stages);
  const double n = real(sequences);
  const auto kv_tokens = static_cast<std::int64_t>(n * (prompt_tokens + output_tokens / 2));
  const double step_s = steps_.decode_step_s(sequences, kv_tokens) / stages;
  const double prompt_s =
      bounds_.computes_prompts ? steps_.added_by_prompt_s(whole(prompt_tokens), sequences, kv_tokens) / stages : 0;
  const double rate = n / ((output_tokens - 1) * step_s + n * prompt_s);
  return {.requests_per_s = rate, .tpot_s = stages * step_s / (1 - rate * prompt_s), .prompt_s = prompt_s};
}

bool SteadyCapacity::keeps_bounds(const Point& point) const {
  return point.requests_per_s * point.prompt_s <= most_prompt_share(point.prompt_s) &&
         (!bounds_.tpot_s || point.tpot_s <= *bounds_.tpot_s);
}

double SteadyCapacity::requests_per_s(double prompt_tokens, double output_tokens) const {
  if (!bounds_.decodes || output_tokens <= 1) {
    const double prompt_s = steps_.prefill_s(whole(prompt_tokens), 0) / real(bounds_.stages);
    const double share = most_prompt_share(prompt_s);
    return (share > 0 ? share : most_busy_fraction / 2) / prompt_s;
  }
  const double fit = real(bounds_.kv_tokens) / (prompt_tokens + output_tokens);
  const double most = std::min(real(bounds_.max_sequences), fit) / real(bounds_.stages);
  std::int64_t lowest = 1;  // keeps the bounds, or is the least that there is
  std::int64_t above = std::max<std::int64_t>(2, static_cast<std::int64_t>(most) + 1);
  while (above - lowest > 1) {
    const std::int64_t middle = (lowest + above) / 2;
    (keeps_bounds(at(middle, prompt_tokens, output_tokens)) ? lowest : above) = middle;
  }
  return at(lowest, prompt_tokens, output_tokens).requests_per_s;
}

}  // namespace servecast
