#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

struct RunFacts;
class Recorder;

/// One line of the account; amounts are in its currency.
struct AccountLine {
  std::string item{};
  double gpu_hours = 0;
  double kwh = 0;  // at the building's meter
  double cost = 0;
  std::optional<double> cost_per_request{};
  std::optional<double> co2_g{};
  std::optional<double> co2_g_per_request{};
  void fields(Fields& f);
  bool operator==(const AccountLine&) const = default;
};

/// Money, energy and carbon of a run, by what causes them and by whose requests they served.
struct AccountSummary {
  std::string currency{};
  double per_usd = 1;
  std::vector<AccountLine> items{};    // pools, nodes, stages of the gateway, APIs, then all
  std::vector<AccountLine> classes{};  // the sum shared out; empty unless there are several
  void fields(Fields& f);
  bool operator==(const AccountSummary&) const = default;
};

/// Nothing where the scenario keeps none. A class bears the share of the whole that its completed requests have of
/// all seconds in service (E2E less queueing): a request that keeps memory and batches occupied pays, whatever it was
/// for.
std::optional<AccountSummary> account_of(const Recorder& recorder, const RunFacts& facts, std::int64_t completed);

}  // namespace servecast
