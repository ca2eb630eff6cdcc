#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "sim/input/trace/cache/trace_cache.h"

namespace servecast {
namespace {

using Json = nlohmann::ordered_json;

std::string percent(double fraction, bool filled) {
  return fmt::format("{}{:.2f} %", filled ? "" : "*", 100 * fraction);
}

std::string summary_text(const TraceCacheReport& report) {
  std::string text = fmt::format("{:<14} {}, of which the first {} only warm the cache up\n", "requests",
                                 report.requests, report.warm_up_requests);
  for (const auto& [why, rows] : report.skipped_rows) text += fmt::format("{:<14} {}: {}\n", "left out", rows, why);
  text += fmt::format("{:<14} {} distinct\n", "blocks", report.distinct_blocks);
  text += fmt::format("{:<14} {} counted\n", "prompt tokens", report.prompt_tokens);
  return text;
}

/// A column per policy, a line per size: the results come policy by policy, with the same sizes in each.
std::string results_text(const TraceCacheReport& report) {
  const auto& results = report.results;
  const auto sizes =
      static_cast<std::size_t>(std::ranges::count(results, results.front().policy, &TraceCacheResult::policy));
  std::string text = fmt::format("{:>14}", "cache blocks");
  for (std::size_t i = 0; i < results.size(); i += sizes) text += fmt::format("{:>12}", results[i].policy);
  for (std::size_t size = 0; size < sizes; ++size) {
    text += fmt::format("\n{:>14}", results[size].blocks);
    for (std::size_t i = size; i < results.size(); i += sizes)
      text += fmt::format("{:>12}", percent(report.fraction(results[i].hit_tokens), results[i].filled));
  }
  const double unlimited = report.fraction(report.unlimited_hit_tokens);
  return text + fmt::format("\n{:>14}{:>12}\n", "unlimited", percent(unlimited, true));
}

}  // namespace

std::string to_text(const TraceCacheReport& report) {
  std::string text = summary_text(report) + "\nHits, share of the prompt tokens counted:\n" + results_text(report);
  if (!std::ranges::all_of(report.results, &TraceCacheResult::filled)) text += "* not full yet when counting began\n";
  return text;
}

std::string to_json(const TraceCacheReport& report) {
  Json results = Json::array();
  for (const TraceCacheResult& result : report.results)
    results.push_back({{"policy", result.policy},
                       {"blocks", result.blocks},
                       {"hit_tokens", result.hit_tokens},
                       {"hit_fraction", report.fraction(result.hit_tokens)},
                       {"filled", result.filled}});
  const Json out{{"requests", report.requests},
                 {"warm_up_requests", report.warm_up_requests},
                 {"skipped_rows", report.skipped_rows},
                 {"distinct_blocks", report.distinct_blocks},
                 {"prompt_tokens", report.prompt_tokens},
                 {"unlimited_hit_tokens", report.unlimited_hit_tokens},
                 {"unlimited_hit_fraction", report.fraction(report.unlimited_hit_tokens)},
                 {"results", results}};
  return out.dump(2) + "\n";
}

std::string to_csv(const TraceCacheReport& report) {
  std::string text = "policy,blocks,hit_tokens,prompt_tokens,hit_fraction,filled\n";
  for (const TraceCacheResult& result : report.results)
    text += fmt::format("{},{},{},{},{},{}\n", result.policy, result.blocks, result.hit_tokens, report.prompt_tokens,
                        report.fraction(result.hit_tokens), result.filled);
  return text;
}

}  // namespace servecast
