#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "models/base/escaped.h"
#include "sim/input/trace/cache/trace_info.h"

namespace servecast {
namespace {

using Json = nlohmann::ordered_json;

Json json(const LengthInfo& l) {
  return {{"mean", l.mean}, {"p50", l.p50}, {"p90", l.p90}, {"p99", l.p99}, {"max", l.max}};
}

std::string line(std::string_view name, const LengthInfo& l) {
  return fmt::format("{:<14} mean {:.1f}   p50 {:.0f}   p90 {:.0f}   p99 {:.0f}   max {:.0f}\n", name, l.mean, l.p50,
                     l.p90, l.p99, l.max);
}

std::string arrivals_text(const TraceInfo& info) {
  std::string text =
      fmt::format("{:<14} {:.1f} s, {:.4g} per second on average\n", "span", info.span_s, info.arrivals_per_s);
  text += fmt::format("{:<14} {:.4g} per second in the fullest second, {:.4g} in the fullest minute\n", "peak",
                      info.peak_1s_per_s, info.peak_60s_per_s);
  text += fmt::format("{:<14} gaps vary by {:.2f}; dispersion {:.1f} over 1 s, {:.1f} over 60 s (Poisson: all 1)\n",
                      "burstiness", info.gap_cv, info.dispersion_1s, info.dispersion_60s);
  return text;
}

}  // namespace

std::string to_text(const TraceInfo& info) {
  std::string text = fmt::format("{:<14} {}\n", "requests", info.requests);
  for (const auto& [why, rows] : info.skipped_rows) text += fmt::format("{:<14} {}: {}\n", "left out", rows, why);
  if (info.arrivals < info.requests)
    text += fmt::format("{:<14} {} arrive by themselves, the others wait for an answer first\n", "closed loop",
                        info.arrivals);
  text += arrivals_text(info);
  text += line("prompt tokens", info.prompt_tokens);
  text += line("output tokens", info.output_tokens);
  if (info.sessions > 0)
    text += fmt::format("{:<14} {}, with {:.2f} requests on average, {} at most\n", "sessions", info.sessions,
                        info.mean_turns, info.max_turns);
  for (const auto& [name, requests] : info.classes)
    text += fmt::format("{:<14} {}: {}\n", "class", visible(name), requests);
  if (info.prefix_hit_fraction)
    text += fmt::format("{:<14} {:.2f} % of prompt tokens begin a prompt seen before\n", "prefix hits",
                        100 * *info.prefix_hit_fraction);
  return text;
}

std::string to_json(const TraceInfo& info) {
  Json out{{"requests", info.requests},
           {"skipped_rows", info.skipped_rows},
           {"classes", info.classes},
           {"arrivals", info.arrivals},
           {"span_s", info.span_s},
           {"arrivals_per_s", info.arrivals_per_s},
           {"gap_cv", info.gap_cv},
           {"dispersion_1s", info.dispersion_1s},
           {"dispersion_60s", info.dispersion_60s},
           {"peak_1s_per_s", info.peak_1s_per_s},
           {"peak_60s_per_s", info.peak_60s_per_s},
           {"prompt_tokens", json(info.prompt_tokens)},
           {"output_tokens", json(info.output_tokens)},
           {"sessions", info.sessions},
           {"mean_turns", info.mean_turns},
           {"max_turns", info.max_turns}};
  if (info.prefix_hit_fraction) out["prefix_hit_fraction"] = *info.prefix_hit_fraction;
  return visible_json(out.dump(2)) + "\n";
}

}  // namespace servecast
