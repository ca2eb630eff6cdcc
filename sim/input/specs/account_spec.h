#pragma once
#include <optional>
#include <string>

#include "models/base/fields.h"

namespace servecast {

/// How a run is accounted for beyond the rent of its GPUs.
struct AccountSpec {
  std::string currency = "USD";
  double per_usd = 1;
  double usd_per_kwh = 0;
  double pue = 1;
  std::optional<double> co2_g_per_kwh{};

  void fields(Fields& f) {
    f.field("currency", currency, "what the account is in, as its code or sign");
    f.field("per_usd", per_usd, "how much a dollar buys; left out: as exchange_rates say", positive);
    f.field("usd_per_kwh", usd_per_kwh, "electricity that is paid beside the GPUs' price; 0: it is in that price");
    f.field("pue", pue, "energy that the building takes over what its machines take", at_least_one);
    f.field("co2_g_per_kwh", co2_g_per_kwh,
            "of the grid, in grams of CO2 equivalent; left out: the report has no CO2");
  }
};

}  // namespace servecast
