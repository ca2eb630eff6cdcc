#pragma once
#include <cstdint>
#include <string_view>

#include "sim/input/files/line_reader.h"

namespace servecast {

// Numbers of a trace row. Each throws UserError at the number's column where it is none or is out of range; `what`
// names it in the message. `text` must be a piece of line.text.

/// More tokens than any request has: a number above this is a mistake in the file.
constexpr std::int64_t max_request_tokens = 100'000'000;
constexpr std::int64_t max_priority = 1'000'000;
/// A little over three hundred years.
constexpr double max_time_s = 1e10;

struct CountRange {
  std::int64_t min = 0;
  std::int64_t max = 0;
};
std::int64_t read_count(const Line& line, std::string_view text, std::string_view what, CountRange range);

/// At least 0.
double read_number(const Line& line, std::string_view text, std::string_view what);

/// A time, at least 0; `per_s` is how many of the file's units make one second.
double read_time_s(const Line& line, std::string_view text, std::string_view what, double per_s = 1);

inline std::int64_t read_prompt_tokens(const Line& line, std::string_view text) {
  return read_count(line, text, "prompt tokens", {.min = 1, .max = max_request_tokens});
}
inline std::int32_t read_priority(const Line& line, std::string_view text) {
  return static_cast<std::int32_t>(read_count(line, text, "priority", {.min = 0, .max = max_priority}));
}
/// 0 is allowed: it marks a request that failed.
inline std::int64_t read_output_tokens(const Line& line, std::string_view text) {
  return read_count(line, text, "output tokens", {.min = 0, .max = max_request_tokens});
}

/// Nanoseconds since 1970 of "2023-11-16 18:17:03", with up to nine digits of fraction and an offset ("+00:00", "Z")
/// or without.
std::int64_t read_date_ns(const Line& line, std::string_view text);

}  // namespace servecast
