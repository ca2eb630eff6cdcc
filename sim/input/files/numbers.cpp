#include "sim/input/files/numbers.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>

namespace servecast {
namespace {

/// The whole text as a number.
template <class T>
std::optional<T> parse(std::string_view text) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error != std::errc{} || stop != end) return std::nullopt;
  return value;
}

/// Takes parts off the front of a date.
class DateScan {
 public:
  explicit DateScan(std::string_view text) : text_(text) {}

  bool digits(std::size_t count, int min, int max, int& value) {
    if (text_.size() < count) return false;
    const std::string_view part = text_.substr(0, count);
    if (part.find_first_not_of("0123456789") != std::string_view::npos) return false;
    value = parse<int>(part).value_or(-1);
    text_.remove_prefix(count);
    return value >= min && value <= max;
  }
  bool sign(std::string_view any_of) {
    if (text_.empty() || any_of.find(text_.front()) == std::string_view::npos) return false;
    text_.remove_prefix(1);
    return true;
  }
  /// ".97996" -> 979960000; no fraction is 0.
  bool fraction_ns(std::int64_t& ns) {
    ns = 0;
    if (!sign(".,")) return true;
    std::int64_t scale = 100'000'000;
    bool any = false;
    for (int digit = 0; scale > 0 && digits(1, 0, 9, digit); scale /= 10, any = true) ns += digit * scale;
    return any;
  }
  bool offset_s(std::int64_t& seconds) {
    seconds = 0;
    if (text_.empty() || text_ == "Z") return true;
    const int direction = text_.front() == '-' ? -1 : 1;
    int hours = 0;
    int minutes = 0;
    if (!sign("+-") || !digits(2, 0, 23, hours) || !sign(":") || !digits(2, 0, 59, minutes)) return false;
    seconds = direction * (hours * 3600 + minutes * 60);
    return text_.empty();
  }

 private:
  std::string_view text_;
};

/// Days from 1970-01-01 in the Gregorian calendar (H. Hinnant, "chrono-compatible low-level date algorithms").
std::int64_t days_from_civil(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = year / 400;
  const std::int64_t year_of_era = year - era * 400;
  const std::int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  const std::int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
  return era * 146097 + day_of_era - 719468;
}

}  // namespace

std::int64_t read_count(const Line& line, std::string_view text, std::string_view what, CountRange range) {
  const std::optional<std::int64_t> value = parse<std::int64_t>(text);
  if (!value)
    line.fail(text, fmt::format("'{}' is no whole number; {} must be {} to {}", text, what, range.min, range.max));
  if (*value < range.min || *value > range.max)
    line.fail(text, fmt::format("{} must be {} to {}, not {}", what, range.min, range.max, *value));
  return *value;
}

double read_number(const Line& line, std::string_view text, std::string_view what) {
  const std::optional<double> value = parse<double>(text);
  if (!value || !std::isfinite(*value))
    line.fail(text, fmt::format("'{}' is no number; {} must be 0 or more", text, what));
  if (*value < 0) line.fail(text, fmt::format("{} must be 0 or more, not {}", what, text));
  return *value;
}

double read_time_s(const Line& line, std::string_view text, std::string_view what, double per_s) {
  const double seconds = read_number(line, text, what) / per_s;
  if (seconds > max_time_s)
    line.fail(text, fmt::format("{} of {} is more than 300 years; is the unit right?", what, text));
  return seconds;
}

std::int64_t read_date_ns(const Line& line, std::string_view text) {
  DateScan scan(text);
  int year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0;
  std::int64_t fraction_ns = 0;
  std::int64_t offset_s = 0;
  const bool good = scan.digits(4, 1970, 2200, year) && scan.sign("-") && scan.digits(2, 1, 12, month) &&
                    scan.sign("-") && scan.digits(2, 1, 31, day) && scan.sign(" T") && scan.digits(2, 0, 23, hour) &&
                    scan.sign(":") && scan.digits(2, 0, 59, minute) && scan.sign(":") &&
                    scan.digits(2, 0, 60, second) && scan.fraction_ns(fraction_ns) && scan.offset_s(offset_s);
  if (!good) line.fail(text, fmt::format("'{}' is no time; write it like 2023-11-16 18:17:03.9799600", text));
  const std::int64_t seconds = days_from_civil(year, month, day) * 86400 + hour * 3600 + minute * 60 + second;
  return (seconds - offset_s) * 1'000'000'000 + fraction_ns;
}

}  // namespace servecast
