#pragma once
#include <algorithm>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

#include "models/base/fields.h"
#include "models/base/rng.h"

namespace servecast {

/// How long something small beside the big models takes, and what it costs.
struct ServiceSettings {
  double median_s = 0;
  double sigma = 0;
  std::int64_t workers = 0;
  double usd = 0;

  void fields(Fields& f) {
    f.field("median_s", median_s, "half of the calls take less");
    f.field("sigma", sigma, "standard deviation of the logarithm; 0: all take the same", {.min = 0, .max = 5});
    f.field("workers", workers, "calls served at a time, others wait their turn; 0: any number");
    f.field("usd", usd, "price of a call");
  }
};

/// A service with its waiting line, in the order in which calls are announced. Durations are lognormal.
class GatewayService {
 public:
  explicit GatewayService(const ServiceSettings& settings) : settings_(settings) {}

  /// A call that comes at `now_s`: how long until it is done, its wait included. `more_s` is
  /// what this one takes beyond what all take.
  double call_s(double now_s, Rng& rng, double more_s = 0) {
    double duration_s = settings_.median_s;
    if (settings_.sigma > 0) duration_s *= rng.lognormal(0, settings_.sigma);
    duration_s += more_s;
    if (settings_.workers == 0) return duration_s;
    double start_s = now_s;
    if (static_cast<std::int64_t>(free_s_.size()) == settings_.workers) {
      start_s = std::max(now_s, free_s_.top());
      free_s_.pop();
    }
    free_s_.push(start_s + duration_s);
    return start_s + duration_s - now_s;
  }
  double usd() const { return settings_.usd; }

 private:
  ServiceSettings settings_;
  std::priority_queue<double, std::vector<double>, std::greater<>> free_s_;  // when each worker is next free
};

}  // namespace servecast
