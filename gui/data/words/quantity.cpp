#include "gui/data/words/quantity.h"

#include <fmt/format.h>

#include <cmath>

#include "sim/report/layout/human.h"

namespace servecast::gui {
namespace {

/// As few decimals as it takes, six at most.
std::string trimmed(double value, int most_decimals) {
  std::string text = fmt::format("{:.{}f}", value, most_decimals);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

struct Prefix {
  double size;
  const char* name;
};

/// The unit that fits the largest mark: all marks of an axis share it.
std::string with_prefix(double value, double largest, std::initializer_list<Prefix> prefixes, const char* unit) {
  if (value == 0) return "0";
  const Prefix* fits = prefixes.begin();
  for (const Prefix& prefix : prefixes)
    if (largest >= prefix.size * (1 - 1e-9)) fits = &prefix;
  return trimmed(value / fits->size, 6) + (*fits->name || *unit ? " " : "") + fits->name + unit;
}

}  // namespace

namespace {

std::string plain_text(Quantity quantity, double value) {
  if (std::isnan(value)) return "—";
  switch (quantity) {
    case Quantity::count:
      return human::count(std::llround(value));
    case Quantity::number:
      return human::number(value);
    case Quantity::latency_s:
      return human::seconds(value);
    case Quantity::instant_s:
      return fmt::format("{:.3f} s", value);
    case Quantity::fraction:
      return human::percent(value);
    case Quantity::bytes:
      return human::bytes(value);
    case Quantity::watts:
      return human::watts(value);
    case Quantity::joules:
      return human::joules(value);
    case Quantity::usd:
      return human::usd(value);
    case Quantity::tokens_per_s:
      return human::number(value) + "/s";
  }
  return {};
}

}  // namespace

QString text_of(Quantity quantity, double value) { return QString::fromStdString(plain_text(quantity, value)); }

std::vector<double> linear_ticks(double low, double high, int wanted) {
  constexpr double slack = 1.4;  // rather a few more marks than half as many
  if (!(high > low) || wanted < 1) return {};
  const double rough = (high - low) / wanted;
  const double power = std::pow(10, std::floor(std::log10(rough)));
  double step = 10 * power;
  for (const double factor : {1.0, 2.0, 5.0})
    if (rough <= slack * factor * power) {
      step = factor * power;
      break;
    }
  std::vector<double> ticks;
  const auto first = static_cast<long long>(std::ceil(low / step - 1e-9));
  for (long long i = first; static_cast<double>(i) * step <= high + 1e-9 * step; ++i)
    ticks.push_back(static_cast<double>(i) * step);
  return ticks;
}

std::vector<double> log_ticks(double low, double high) {
  constexpr std::size_t enough = 4;
  static const std::vector<std::vector<double>> from_few_to_many{{1}, {1, 2, 5}, {1, 1.5, 2, 3, 4, 5, 6, 8}};
  if (!(low > 0) || !(high > low)) return {};
  std::vector<double> ticks;
  for (const std::vector<double>& factors : from_few_to_many) {
    ticks.clear();
    for (int power = static_cast<int>(std::floor(std::log10(low))); std::pow(10, power) <= high; ++power)
      for (const double factor : factors)
        if (const double tick = factor * std::pow(10, power); tick >= low && tick <= high) ticks.push_back(tick);
    if (ticks.size() >= enough) return ticks;
  }
  return linear_ticks(low, high, static_cast<int>(enough));  // less than one octave
}

namespace {

std::string plain_tick(Quantity quantity, double value, double largest) {
  switch (quantity) {
    case Quantity::latency_s:
      return with_prefix(value, value > 0 ? value : largest, {{1e-9, "n"}, {1e-6, "µ"}, {1e-3, "m"}, {1, ""}}, "s");
    case Quantity::instant_s:
      return trimmed(value, 6) + " s";
    case Quantity::fraction:
      return trimmed(value * 100, 6) + " %";
    case Quantity::bytes:
      return with_prefix(value, largest, {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}, {1e12, "T"}}, "B");
    case Quantity::watts:
      return with_prefix(value, largest, {{1, ""}, {1e3, "k"}, {1e6, "M"}}, "W");
    case Quantity::joules:
      return with_prefix(value, largest, {{1, ""}, {1e3, "k"}, {1e6, "M"}, {1e9, "G"}}, "J");
    case Quantity::usd:
      return "$" + trimmed(value, 6);
    default:
      return with_prefix(value, largest, {{1, ""}, {1e3, "k"}, {1e6, "M"}}, "");
  }
}

}  // namespace

QString tick_text(Quantity quantity, double value, double largest) {
  return QString::fromStdString(plain_tick(quantity, value, largest));
}

}  // namespace servecast::gui
