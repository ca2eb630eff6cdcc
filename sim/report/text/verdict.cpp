#include "sim/report/text/verdict.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "sim/report/layout/human.h"

namespace servecast {
namespace {

struct Bound {
  std::string_view name;
  std::optional<double> limit_s;
  std::optional<double> attained_fraction;
};

std::array<Bound, 3> bounds(const SloSummary& slo) {
  return {{{"TTFT", slo.ttft_s, slo.ttft_attained_fraction},
           {"TPOT", slo.tpot_s, slo.tpot_attained_fraction},
           {"E2E", slo.e2e_s, slo.e2e_attained_fraction}}};
}

/// Empty where only classes are promised something.
std::string promise(const SloSummary& slo) {
  std::string text;
  for (const Bound& b : bounds(slo))
    if (b.limit_s) text += fmt::format("{}{} ≤ {}", text.empty() ? "" : " and ", b.name, human::seconds(*b.limit_s));
  return text;
}

}  // namespace

std::string verdict(const SloSummary& slo) {
  if (!slo.target_fraction) return "No SLO stated.";
  if (!slo.attained_fraction) return "SLO not judged: no request arrived.";
  const double points = (*slo.attained_fraction - *slo.target_fraction) * 100;
  const std::string bounds = promise(slo);
  std::string text = fmt::format(
      "SLO {}: {} keep {}; {} asked, {} points {}", slo.met() ? "met" : "NOT met",
      human::percent(*slo.attained_fraction), bounds.empty() ? "what their class is promised" : bounds,
      human::percent(*slo.target_fraction), human::number(std::abs(points)), points >= 0 ? "to spare" : "short");
  if (slo.classes_missed > 0) text += fmt::format("; missed for {} of the classes", slo.classes_missed);
  return text + ".";
}

std::string bound_by_bound(const SloSummary& slo) {
  std::string text;
  int count = 0;
  for (const Bound& b : bounds(slo)) {
    if (!b.attained_fraction) continue;
    text += fmt::format("{}{} by {}", text.empty() ? "" : ", ", b.name, human::percent(*b.attained_fraction));
    ++count;
  }
  return count < 2 || slo.met() ? "" : "Kept one by one: " + text + ".";
}

}  // namespace servecast
