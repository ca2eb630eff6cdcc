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
  const double points = std::abs(*slo.attained_fraction - *slo.target_fraction) * 100;
  return fmt::format("SLO {}: {} keep {}; {} asked, {} points {}.", slo.met() ? "met" : "NOT met",
                     human::percent(*slo.attained_fraction), promise(slo), human::percent(*slo.target_fraction),
                     human::number(points), slo.met() ? "to spare" : "short");
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
