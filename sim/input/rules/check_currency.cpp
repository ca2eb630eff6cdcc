#include "sim/input/rules/check_currency.h"

#include <fmt/format.h>

#include "sim/input/scenario/scenario.h"
#include "sim/input/yaml/money.h"

namespace servecast {

void settle_currency(YamlText& text, ScenarioSpec& spec) {
  for (const auto& [code, usd] : spec.exchange_rates) {
    const std::string path = "exchange_rates." + code;
    if (!is_currency_code(code))
      text.fail(path,
                fmt::format("'{}' is no currency: write the three capital letters of its ISO code, as EUR", code));
    else if (code == "USD")
      text.fail(path, "a dollar is worth a dollar; leave it out");
  }
  if (!spec.account || spec.account->currency == "USD" || text.places.contains("account.per_usd")) return;
  const auto rate = spec.exchange_rates.find(spec.account->currency);
  if (rate == spec.exchange_rates.end())
    return text.fail("account.currency", fmt::format("what '{0}' is worth is not known: give exchange_rates: "
                                                     "{{{0}: dollars that one costs}}, or account.per_usd",
                                                     spec.account->currency));
  spec.account->per_usd = 1 / rate->second;
}

}  // namespace servecast
