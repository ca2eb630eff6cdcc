// Autoscaler "scheduled": so many replicas from such a time on, by the clock (KEDA's cron scaler, CronHPA).
//
// The list names times within a period, and how many replicas shall serve from then until the next one; the period
// repeats, and before the first time of a period the last one of the period before holds. Wins where the day is known
// and replicas take long to come: give the time at which they begin to start, not the one at which they are needed.
// Blind to everything else.
#include <algorithm>
#include <vector>

#include "models/policy/autoscaler.h"

namespace servecast {
namespace {

class Scheduled final : public Autoscaler {
 public:
  struct Entry {
    double at_s = 0;
    std::int64_t replicas = 0;
    void fields(Fields& f) {
      f.required("at_s", at_s, "from the beginning of the period");
      f.required("replicas", replicas, "that shall serve from then on");
    }
  };
  struct Settings {
    double period_s = 86'400;
    std::vector<Entry> times{};
    void fields(Fields& f) {
      f.field("period_s", period_s, "after which the times come again", positive);
      f.list("times", times, "in order", true);
    }
  };
  explicit Scheduled(const Settings& settings) : settings_(settings) {}

  double next_evaluation_s(double now_s) const override {
    for (double period = std::floor(now_s / settings_.period_s);; period += 1)
      for (const Entry& entry : settings_.times)
        if (const double at_s = period * settings_.period_s + entry.at_s; at_s > now_s) return at_s;
  }

  std::int64_t wanted(const PoolLoad& load) override {
    const double period_begins_s = std::floor(load.now_s / settings_.period_s) * settings_.period_s;
    std::int64_t replicas = settings_.times.back().replicas;
    for (const Entry& entry : settings_.times)
      if (period_begins_s + entry.at_s <= load.now_s) replicas = entry.replicas;
    return replicas;
  }

  std::optional<std::string> problem() const override {
    const auto& times = settings_.times;
    if (times.empty()) return "'scheduled' needs times, for instance [{at_s: 0, replicas: 2}]";
    if (std::ranges::adjacent_find(times, std::ranges::greater_equal(), &Entry::at_s) != times.end())
      return "times must be in order, each later than the one before";
    if (times.back().at_s >= settings_.period_s) return "times must lie within period_s";
    return std::nullopt;
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added =
    Registry<Autoscaler>::add<Scheduled>("scheduled", "so many replicas from such a time on, day by day");

}  // namespace
}  // namespace servecast
