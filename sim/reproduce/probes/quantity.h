#pragma once
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace servecast {

class PublicTraces;

/// Something to find out by simulating: one piece of work that gives one number or several.
struct Probe {
  std::string name{};                 // where it fails, this is said
  std::vector<std::string> traces{};  // file names of public traces that it reads
  bool slow = false;                  // left out of a quick round
  std::function<std::vector<double>(const PublicTraces& traces)> measure{};
};
using ProbePtr = std::shared_ptr<const Probe>;

/// What was found.
using ProbeValues = std::map<ProbePtr, std::vector<double>>;

/// A number made of what probes find: one of their values, a constant, or arithmetic over these.
class Quantity {
 public:
  Quantity(double constant);
  Quantity(ProbePtr probe, std::size_t which = 0);

  const std::vector<ProbePtr>& probes() const { return probes_; }
  /// Requires the values of all of its probes.
  double value(const ProbeValues& values) const { return value_(values); }

  friend Quantity operator+(const Quantity& a, const Quantity& b);
  friend Quantity operator-(const Quantity& a, const Quantity& b);
  friend Quantity operator*(const Quantity& a, const Quantity& b);
  friend Quantity operator/(const Quantity& a, const Quantity& b);
  friend Quantity larger(const Quantity& a, const Quantity& b);

 private:
  using Value = std::function<double(const ProbeValues& values)>;
  Quantity(std::vector<ProbePtr> probes, Value value) : probes_(std::move(probes)), value_(std::move(value)) {}
  static Quantity joined(const Quantity& a, const Quantity& b, double (*combine)(double, double));

  std::vector<ProbePtr> probes_{};
  Value value_{};
};

}  // namespace servecast
