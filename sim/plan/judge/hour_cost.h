#pragma once
#include <optional>
#include <string>

namespace servecast {

struct SizedDesign;
struct Study;
struct Summary;

/// What an hour of a design costs, as one run of it came out.
struct HourCost {
  double machines_usd = 0;  // under a term, with the electricity that is paid beside it
  double outside_usd = 0;   // bills of gateway stages and outside APIs

  double usd() const { return machines_usd + outside_usd; }
};

/// Nothing where the term is not on offer for a kind of GPU in use.
std::optional<HourCost> hour_cost(const Study& study, const SizedDesign& sized, const std::string& term,
                                  const Summary& run);

/// Under the term that designs are compared under: every design that is simulated has one.
HourCost hour_cost(const Study& study, const SizedDesign& sized, const Summary& run);

/// Which budget the run breaks, in words: what it was billed and what it drew is known only now.
std::optional<std::string> over_budget(const Study& study, const SizedDesign& sized, const Summary& run);

double mean_w(const Summary& run);
double outside_usd_per_hour(const Summary& run);

/// Whether outside APIs answered anything: what they draw, and on which machines, no run knows.
bool asks_outside(const Summary& run);

}  // namespace servecast
