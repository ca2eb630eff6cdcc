#include "sim/input/yaml/money.h"

#include <algorithm>
#include <charconv>

namespace servecast {
namespace {

constexpr std::size_t code_letters = 3;

}  // namespace

bool is_currency_code(const std::string& text) {
  return text.size() == code_letters && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

std::optional<Money> read_money(const std::string& text) {
  const std::size_t blank = text.find(' ');
  if (blank == std::string::npos || !is_currency_code(text.substr(blank + 1))) return std::nullopt;
  Money money{.currency = text.substr(blank + 1)};
  const char* end = text.data() + blank;
  const auto [stop, error] = std::from_chars(text.data(), end, money.amount);
  return error == std::errc() && stop == end ? std::optional(money) : std::nullopt;
}

std::optional<double> in_usd(const Money& money, const YAML::Node& root) {
  if (money.currency == "USD") return money.amount;
  const YAML::Node base = root["base"];
  const YAML::Node rates = base && base.IsMap() ? base["exchange_rates"] : root["exchange_rates"];
  if (!rates || !rates.IsMap()) return std::nullopt;
  const YAML::Node rate = rates[money.currency];
  double usd = 0;
  if (!rate || !YAML::convert<double>::decode(rate, usd) || usd <= 0) return std::nullopt;
  return money.amount * usd;
}

}  // namespace servecast
