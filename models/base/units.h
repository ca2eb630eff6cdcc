#pragma once
#include <array>
#include <string_view>
#include <utility>

namespace servecast {

inline constexpr double seconds_per_hour = 3600;
inline constexpr double seconds_per_day = 86'400;
/// A run records every second that it simulates.
inline constexpr double longest_run_s = 365 * seconds_per_day;
inline constexpr double ms_per_s = 1e3;
inline constexpr double us_per_s = 1e6;

/// The unit of a setting or figure follows from its name (SI base units as suffix), so name and unit cannot disagree.
/// Empty for plain counts and texts. The longest suffix wins.
constexpr std::string_view unit_of(std::string_view key) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 35> units{{
      {"usd_per_hour", "USD/h"},
      {"usd_per_gpu_hour", "USD/h"},
      {"usd_per_million_prompt_tokens", "USD"},
      {"usd_per_million_output_tokens", "USD"},
      {"usd_per_million_tokens", "USD"},
      {"usd_per_million_written_tokens", "USD"},
      {"usd_per_billion_bytes", "USD"},
      {"usd_per_kwh", "USD/kWh"},
      {"g_per_kwh", "g/kWh"},
      {"requests_per_s", "requests/s"},
      {"_tokens_per_s", "tokens/s"},
      {"bytes_per_s", "bytes/s"},
      {"_flop_per_s", "flop/s"},
      {"_per_s", "1/s"},
      {"_fraction", "share, 0 to 1"},
      {"_fraction_mean", "share, 0 to 1"},
      {"_fraction_max", "share, 0 to 1"},
      {"_tokens", "tokens"},
      {"_tokens_mean", "tokens"},
      {"_tokens_in_mean", "tokens"},
      {"_tokens_out_mean", "tokens"},
      {"_blocks", "blocks"},
      {"bytes", "bytes"},
      {"per_usd", ""},
      {"usd", "USD"},
      {"usd_total", "USD"},
      {"usd_per_request", "USD"},
      {"kwh", "kWh"},
      {"_s_mean", "s"},
      {"j_total", "J"},
      {"j_per_output_token", "J"},
      {"_s", "s"},
      {"_j", "J"},
      {"_w", "W"},
      {"tokens", "tokens"},
  }};
  for (const auto& [suffix, unit] : units)
    if (key.ends_with(suffix)) return unit;
  return "";
}

}  // namespace servecast
