#include "sim/report/layout/human.h"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <span>
#include <string_view>

namespace servecast::human {
namespace {

struct Unit {
  double size = 1;
  std::string_view name;
};

/// From 999.5 on, three digits would say 1,000: then the next unit takes over.
constexpr double next_unit_from = 999.5;

std::string in_unit(double value, std::span<const Unit> units) {  // from small to large
  const double size = std::abs(value);
  if (size == 0) return fmt::format("0 {}", units.front().name);
  for (const Unit& unit : units)
    if (size < next_unit_from * unit.size) return fmt::format("{} {}", number(value / unit.size), unit.name);
  return fmt::format("{} {}", number(value / units.back().size), units.back().name);
}

std::string with_metric_prefix(double value, std::string_view unit) {
  const std::string kilo = "k" + std::string(unit), mega = "M" + std::string(unit), giga = "G" + std::string(unit);
  return in_unit(value, std::array<Unit, 4>{{{1, unit}, {1e3, kilo}, {1e6, mega}, {1e9, giga}}});
}

/// Decimals that show three significant digits, after rounding: 9.995 is shown as 10.0, with one.
int decimals_for(double size) {
  int decimals = 2;
  for (double limit = 9.995; size >= limit && decimals > 0; limit *= 10) --decimals;
  for (double limit = 0.9995; size < limit && decimals < 12; limit /= 10) ++decimals;
  return decimals;
}

std::string grouped(std::string digits) {
  for (std::ptrdiff_t at = static_cast<std::ptrdiff_t>(digits.size()) - 3; at > 0; at -= 3)
    digits.insert(static_cast<std::size_t>(at), 1, ',');
  return digits;
}

}  // namespace

std::string count(std::int64_t value) {
  return fmt::format("{}{}", value < 0 ? "-" : "", grouped(fmt::format("{}", std::abs(value))));
}

std::string whole(double value) { return count(std::llround(value)); }

std::string number(double value) {
  if (value == 0) return "0";
  if (std::abs(value) >= next_unit_from) return count(std::llround(value));
  return fmt::format("{:.{}f}", value, decimals_for(std::abs(value)));
}

std::string seconds(double value) {
  if (value == 0) return "0 s";
  return in_unit(value, std::array<Unit, 4>{{{1e-9, "ns"}, {1e-6, "µs"}, {1e-3, "ms"}, {1, "s"}}});
}

std::string span(double value) {
  constexpr std::int64_t minute = 60, hour = 3600, day = 86400;
  if (value < 119.5) return seconds(value);
  const std::int64_t s = std::llround(value);
  if (s < 2 * hour) return fmt::format("{} min {:02} s", s / minute, s % minute);
  if (s < 2 * day) return fmt::format("{} h {:02} min", s / hour, s % hour / minute);
  return fmt::format("{} days {:02} h", count(s / day), s % day / hour);
}

std::string bytes(double value) {
  return in_unit(value, std::array<Unit, 5>{{{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}}});
}

std::string joules(double value) { return with_metric_prefix(value, "J"); }
std::string watts(double value) { return with_metric_prefix(value, "W"); }

std::string usd(double value) {
  const double size = std::abs(value);
  const bool in_cents = size >= 0.995 && size < next_unit_from;
  return fmt::format("{}${}", value < 0 ? "-" : "", in_cents ? fmt::format("{:.2f}", size) : number(size));
}

std::string percent(double fraction) {
  constexpr int most_decimals = 6;
  const double value = fraction * 100;
  int decimals = 1;
  for (double scale = 10; decimals < most_decimals; scale *= 10, ++decimals) {
    const double shown = std::round(value * scale) / scale;
    if (shown == value || (shown != 0 && shown != 100)) break;
  }
  return fmt::format("{:.{}f} %", value, decimals);
}

}  // namespace servecast::human
