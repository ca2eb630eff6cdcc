#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

// Time in a study: the part `horizon`.

/// From some month on the base scenario is changed: another trace, another model.
struct PeriodSpec {
  std::int64_t from_month = 1;
  std::vector<std::string> set{};

  void fields(Fields& f) {
    f.required("from_month", from_month, "1 is the first", at_least_one);
    f.required("set", set, "path=value changes of the base scenario from then on, e.g. workload.trace.path=june.csv");
  }
};

/// A term that binds for months.
struct CommitmentSpec {
  std::string term;
  std::int64_t months = 0;

  void fields(Fields& f) {
    f.required("term", term, "its price is that of prices.gpus; owned: the purchase over these months",
               {"reserved", "owned"});
    f.required("months", months, "for which it is paid, needed or not", at_least_one);
  }
};

struct HorizonSpec {
  std::int64_t months = 0;
  double growth_fraction_per_month = 0;
  std::vector<double> rate_factors{};
  std::vector<double> seasons{};
  std::vector<PeriodSpec> periods{};
  std::vector<CommitmentSpec> commitments{};
  std::string commitments_counted = "within_horizon";
  double growth_error_fraction = 0.5;

  void fields(Fields& f) {
    f.required("months", months, "to plan for", {.min = 1, .max = 120});
    f.field("growth_fraction_per_month", growth_fraction_per_month,
            "of the demand; the first month is that of `demand`", {.min = -0.9, .max = 10});
    f.field("rate_factors", rate_factors, "in its place: demand of every month, over the first one's", positive);
    f.field("seasons", seasons, "factors on the months, over and over: 12 of them are a year", positive);
    f.list("periods", periods, "changes of the base scenario from some month on, each on top of those before");
    f.list("commitments", commitments, "terms that bind for months; on demand and spot go month by month");
    f.field("commitments_counted", commitments_counted,
            "of commitments that outlast the horizon. within_horizon: the months up to its end, as the machines are "
            "used on; whole: all that they cost",
            {"within_horizon", "whole"});
    f.field("growth_error_fraction", growth_error_fraction, "growth that much smaller and larger: what it would cost",
            {.min = 0, .max = 1});
  }
};

/// A change that an architect thinks about: sized to its own cheapest design.
struct IdeaSpec {
  std::string name;
  std::vector<std::string> set{};
  std::optional<double> lost_points{};
  std::string rests_on{};

  void fields(Fields& f) {
    f.required("name", name, "what the answer calls it");
    f.required("set", set, "path=value changes of the base scenario; or the term of the study, prices.term=spot");
    f.field(
        "lost_points", lost_points,
        "of the answers' score in percent that it is known to cost; left out: what is published of such weights and "
        "models");
    f.field("rests_on", rests_on, "where that comes from, and what else it takes for granted");
  }
};

}  // namespace servecast
