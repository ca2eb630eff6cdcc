#pragma once
#include <yaml-cpp/yaml.h>

#include <optional>
#include <string>

namespace servecast {

/// "2.30 EUR": what a setting of money may say in place of a number, which is in dollars, as its name says.
struct Money {
  double amount = 0;
  std::string currency{};
};

/// Nothing where the text is no number and a code.
std::optional<Money> read_money(const std::string& text);

/// Three capital letters, as ISO 4217 has them.
bool is_currency_code(const std::string& text);

/// In dollars, by the `exchange_rates` of a scenario, or of a study's `base`; nothing where these do not have the
/// currency.
std::optional<double> in_usd(const Money& money, const YAML::Node& root);

}  // namespace servecast
