// Autoscaler "llumnix_freeness": as many replicas as keep the mean freeness between two bounds.
//
// Every `check_every_s`: one replica more where the mean over replicas of freeness (free KV blocks per request,
// prompts that wait counted as held: freeness.h) is below `up_below`, one fewer where it is above `down_above`;
// nothing while a replica is on its way, since freeness does not count it yet. A replica without requests is
// infinitely free. Wins where memory, not arrivals, says how full a pool is: long outputs, big prompts. Loses against
// sudden load: one replica at a time. With `scaling.drain: migrate` and the migration of the same system, replicas
// leave quickly. Llumnix, OSDI 2024, section 4.4.3; bounds and interval of its code (10 and 60, every 10 s).
#include "models/policy/autoscaler.h"
#include "models/policy/shared/freeness.h"

namespace servecast {
namespace {

class LlumnixFreeness final : public Autoscaler {
 public:
  struct Settings {
    double check_every_s = 10;
    double up_below = 10;
    double down_above = 60;
    void fields(Fields& f) {
      f.field("check_every_s", check_every_s, "between two evaluations", positive);
      f.field("up_below", up_below, "free KV blocks per request, mean over replicas, below which one more is wanted");
      f.field("down_above", down_above, "likewise, above which one fewer is wanted");
    }
  };
  explicit LlumnixFreeness(const Settings& settings) : settings_(settings) {}

  double next_evaluation_s(double now_s) const override { return multiple_after(now_s, settings_.check_every_s); }

  std::optional<std::string> problem() const override {
    if (settings_.up_below < settings_.down_above) return std::nullopt;
    return "up_below must be less than down_above, or replicas come and go for ever";
  }

  std::int64_t wanted(const PoolLoad& load) override {
    const std::int64_t now = load.replicas();
    if (load.coming > 0 || load.serving.empty()) return now;
    double sum = 0;
    for (const ReplicaView& r : load.serving)
      sum += r.running_requests + r.waiting_requests > 0 ? freeness(r, load.block_tokens)
                                                         : std::numeric_limits<double>::infinity();
    const double mean = sum / static_cast<double>(load.serving.size());
    return mean < settings_.up_below ? now + 1 : mean > settings_.down_above ? now - 1 : now;
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Autoscaler>::add<LlumnixFreeness>(
    "llumnix_freeness", "one more or one fewer by the mean of free KV blocks per request");

}  // namespace
}  // namespace servecast
