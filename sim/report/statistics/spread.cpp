#include "sim/report/statistics/spread.h"

#include <utility>
#include <vector>

namespace servecast {

void Spread::coarsen() {
  if (histogram_) return;
  histogram_.emplace();
  for (const double value_s : std::exchange(values_s_, {})) histogram_->add(value_s);
}

Spread& Spread::operator+=(const Spread& other) {
  if (other.histogram_) {
    coarsen();
    *histogram_ += *other.histogram_;
  }
  for (const double value_s : other.values_s_) add(value_s);
  return *this;
}

std::optional<Statistics> Spread::statistics() const {
  if (histogram_) return histogram_->statistics();
  std::vector<double> values_s(values_s_.begin(), values_s_.end());
  return statistics_of(values_s);
}

}  // namespace servecast
