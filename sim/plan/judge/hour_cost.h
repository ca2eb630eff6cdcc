#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace servecast {

inline constexpr double hours_per_month = 730;  // as clouds count: a twelfth of 8,760

struct Machines;
struct PriceSpec;
struct SizedDesign;
struct Study;
struct Summary;

/// One thing that an hour of a design is paid for.
struct CostLine {
  std::string_view item{};
  double usd = 0;           // per hour, at the demand that the promise is for
  bool by_traffic = false;  // comes with the requests: less at the mean demand
};

/// The account of a design: everything that it is paid for, once. Objectives, budgets, bounds and certificates use
/// it.
struct HourCost {
  std::vector<CostLine> lines{};  // those that are not 0
  double traffic = 1;             // mean demand over the one that the promise is for

  /// An hour in the mean over the day: machines are paid around the clock, the rest comes with the requests.
  double usd() const;
  /// An hour at the demand that the promise is for.
  double usd_at_peak() const;
  /// Of usd(), what comes with the requests: bills of the gateway and of outside APIs, egress.
  double by_traffic_usd() const;
};

/// The least that an hour of these machines can come to, whatever a simulation says: no run makes it cheaper. Nothing
/// where the term is not on offer for a kind of GPU in use.
std::optional<HourCost> least_hour_cost(const Machines& machines, const PriceSpec& prices, const std::string& term);

/// What it came to in a run.
std::optional<HourCost> hour_cost(const Study& study, const SizedDesign& sized, const std::string& term,
                                  const Summary& run);

/// Under the term that the design is compared under: every design that is simulated has one.
HourCost hour_cost(const Study& study, const SizedDesign& sized, const Summary& run);

/// Which budget the run breaks, in words: what it was billed and what it drew is known only now.
std::optional<std::string> over_budget(const Study& study, const SizedDesign& sized, const Summary& run);

double mean_w(const Summary& run);

/// Whether outside APIs answered anything: what they draw, and on which machines, no run knows.
bool asks_outside(const Summary& run);

}  // namespace servecast
