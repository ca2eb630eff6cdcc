#include "sim/reproduce/probes/quantity.h"

#include <algorithm>

namespace servecast {

Quantity::Quantity(double constant) : value_([constant](const ProbeValues&) { return constant; }) {}

Quantity::Quantity(ProbePtr probe, std::size_t which)
    : probes_{probe}, value_([probe, which](const ProbeValues& values) { return values.at(probe).at(which); }) {}

Quantity Quantity::joined(const Quantity& a, const Quantity& b, double (*combine)(double, double)) {
  std::vector<ProbePtr> probes = a.probes_;
  for (const ProbePtr& probe : b.probes_)
    if (std::ranges::find(probes, probe) == probes.end()) probes.push_back(probe);
  return {std::move(probes), [first = a.value_, second = b.value_, combine](const ProbeValues& values) {
            return combine(first(values), second(values));
          }};
}

Quantity operator+(const Quantity& a, const Quantity& b) {
  return Quantity::joined(a, b, [](double x, double y) { return x + y; });
}
Quantity operator-(const Quantity& a, const Quantity& b) {
  return Quantity::joined(a, b, [](double x, double y) { return x - y; });
}
Quantity operator*(const Quantity& a, const Quantity& b) {
  return Quantity::joined(a, b, [](double x, double y) { return x * y; });
}
Quantity operator/(const Quantity& a, const Quantity& b) {
  return Quantity::joined(a, b, [](double x, double y) { return x / y; });
}
Quantity larger(const Quantity& a, const Quantity& b) {
  return Quantity::joined(a, b, [](double x, double y) { return std::max(x, y); });
}

}  // namespace servecast
