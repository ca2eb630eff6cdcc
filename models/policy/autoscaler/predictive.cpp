// Autoscaler "predictive": replicas for the rate of arrivals that is forecast for the time when they could serve.
//
// The rate of each interval goes into a forecast with level, trend and a curve over the season (a day), additive
// Holt-Winters: Winters, Management Science 6, 1960; Hyndman and Athanasopoulos, Forecasting, section 8.3. Until one
// season has passed there is no curve and level and trend go alone (Holt). Replicas: the rate forecast for `lead_s`
// ahead, and `headroom_fraction` more, over what one bears. Wins on days that repeat and on ramps, where replicas
// take minutes to come; loses on bursts, which no past foretells, and overshoots after a ramp.
#include <algorithm>
#include <vector>

#include "models/policy/autoscaler.h"

namespace servecast {
namespace {

class Predictive final : public Autoscaler {
 public:
  struct Settings {
    double requests_per_s = 0;
    double check_every_s = 60;
    double lead_s = 120;
    double season_s = 86'400;
    double headroom_fraction = 0.1;
    double level = 0.3;
    double trend = 0.1;
    double season = 0.3;
    void fields(Fields& f) {
      f.required("requests_per_s", requests_per_s, "that one replica bears", positive);
      f.field("check_every_s", check_every_s, "between two evaluations; the forecast's interval", positive);
      f.field("lead_s", lead_s, "how far ahead: about as long as a replica takes to come");
      f.field("season_s", season_s, "after which load repeats: a whole number of intervals", positive);
      f.field("headroom_fraction", headroom_fraction, "more than forecast");
      f.field("level", level, "weight of the latest interval in the level", positive_fraction);
      f.field("trend", trend, "likewise in the trend", fraction);
      f.field("season", season, "of the latest season in the curve", fraction);
    }
  };
  explicit Predictive(const Settings& settings)
      : settings_(settings), slots_(static_cast<std::int64_t>(settings.season_s / settings.check_every_s + 0.5)) {}

  double next_evaluation_s(double now_s) const override { return multiple_after(now_s, settings_.check_every_s); }

  std::optional<std::string> problem() const override {
    if (slots_ >= 2 && std::abs(static_cast<double>(slots_) * settings_.check_every_s - settings_.season_s) <
                           1e-9 * settings_.season_s)
      return std::nullopt;
    return "season_s must be a whole number of check_every_s, at least 2";
  }

  std::int64_t wanted(const PoolLoad& load) override {
    if (load.now_s == 0) return load.replicas();
    learn(load.arrived_per_s());
    const double ahead = settings_.lead_s / settings_.check_every_s;
    const double rate = std::max(0.0, level_ + ahead * trend_ + curve(seen_ + std::llround(ahead)));
    return static_cast<std::int64_t>(std::ceil(rate * (1 + settings_.headroom_fraction) / settings_.requests_per_s));
  }

 private:
  /// Of the interval of this number; nothing before one season is known.
  double curve(std::int64_t interval) const {
    return seen_ < slots_ ? 0 : curve_[static_cast<std::size_t>(interval % slots_)];
  }

  void learn(double rate) {
    const double before = level_;
    const double seasonal = curve(seen_);
    level_ = seen_ == 0 ? rate : settings_.level * (rate - seasonal) + (1 - settings_.level) * (level_ + trend_);
    if (seen_ > 0) trend_ = settings_.trend * (level_ - before) + (1 - settings_.trend) * trend_;
    if (seen_ < slots_)
      curve_.push_back(rate);
    else
      curve_[static_cast<std::size_t>(seen_ % slots_)] += settings_.season * (rate - level_ - seasonal);
    if (++seen_ == slots_) begin_curve();
  }

  // The first season is over: its mean is the level, what each interval differed is the curve.
  void begin_curve() {
    double mean = 0;
    for (const double rate : curve_) mean += rate / static_cast<double>(slots_);
    for (double& rate : curve_) rate -= mean;
    level_ = mean;
    trend_ = 0;
  }

  Settings settings_;
  std::int64_t slots_;
  std::int64_t seen_ = 0;  // intervals
  double level_ = 0;
  double trend_ = 0;  // per interval
  std::vector<double> curve_;
};

[[maybe_unused]] const bool added = Registry<Autoscaler>::add<Predictive>(
    "predictive", "for the rate forecast from trend and day curve (Holt-Winters)");

}  // namespace
}  // namespace servecast
