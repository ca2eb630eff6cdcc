// Autoscaler "hpa": Kubernetes' HorizontalPodAutoscaler over metrics of LLM serving.
//
// Each metric that is given a target asks for ceil(replicas * metric / target), where the metric is a mean over
// replicas; within `tolerance` of the target it asks for as many as there are. The largest wish wins. A wish for more
// is bounded by `up_fraction` and `up_replicas` per look, whichever allows more; of the wishes of the last
// `up_window_s` the least is taken for growing, of the last `down_window_s` the largest for shrinking. Requests that
// wait before an empty pool count as waiting. Missed promises ask for more in proportion to the share that may miss,
// at most twice as many, and never for fewer than there are while half of that share misses.
//
// Wins where load changes over minutes and a metric shows it early (queue and KV do, missed promises come late);
// loses where replicas take longer to come than the load to change, and after peaks, when the window holds on to
// them. Kubernetes documentation, "Horizontal Pod Autoscaling" (algorithm details, stabilization window, default
// behavior): a look every 15 s, tolerance 0.1, windows of 0 and 300 s, up by 100 % or 4 replicas.
#include <algorithm>
#include <vector>

#include "models/policy/autoscaler.h"

namespace servecast {
namespace {

class Hpa final : public Autoscaler {
 public:
  struct Settings {
    double check_every_s = 15;
    std::optional<double> requests_per_s{};
    std::optional<double> waiting_requests{};
    std::optional<double> kv_used_fraction{};
    bool slo = false;
    double tolerance = 0.1;
    double up_window_s = 0;
    double down_window_s = 300;
    double up_fraction = 1;
    std::int64_t up_replicas = 4;
    void fields(Fields& f) {
      f.field("check_every_s", check_every_s, "between two evaluations (Kubernetes: 15)", positive);
      f.field("requests_per_s", requests_per_s, "target: requests that arrive, per replica", positive);
      f.field("waiting_requests", waiting_requests, "target: requests in the queue, per replica", positive);
      f.field("kv_used_fraction", kv_used_fraction, "target: share of KV blocks in use", positive_fraction);
      f.field("slo", slo, "target: no more requests miss the SLO than it allows");
      f.field("tolerance", tolerance, "no change while the metric is that close to its target (Kubernetes: 0.1)",
              fraction);
      f.field("up_window_s", up_window_s, "grows to the least that was asked for so long (Kubernetes: 0)");
      f.field("down_window_s", down_window_s, "shrinks to the most that was asked for so long (Kubernetes: 300)");
      f.field("up_fraction", up_fraction, "grows by this share per look, or ... (Kubernetes: 1)");
      f.field("up_replicas", up_replicas, "... by so many replicas, if that is more (Kubernetes: 4)", at_least_one);
    }
  };
  explicit Hpa(const Settings& settings) : settings_(settings) {}

  double next_evaluation_s(double now_s) const override { return multiple_after(now_s, settings_.check_every_s); }
  bool needs_slo() const override { return settings_.slo; }

  std::optional<std::string> problem() const override {
    if (settings_.requests_per_s || settings_.waiting_requests || settings_.kv_used_fraction || settings_.slo)
      return std::nullopt;
    return "'hpa' has no target; give at least one of requests_per_s, waiting_requests, kv_used_fraction and slo";
  }

  std::int64_t wanted(const PoolLoad& load) override {
    const std::int64_t now = load.replicas();
    const std::int64_t most =
        std::max(now + settings_.up_replicas, up_to(static_cast<double>(now) * (1 + settings_.up_fraction)));
    wishes_.push_back({load.now_s, std::min(wish(load), most)});
    const double oldest_s = load.now_s - std::max(settings_.up_window_s, settings_.down_window_s);
    std::erase_if(wishes_, [&](const Wish& w) { return w.at_s < oldest_s; });
    std::int64_t up = wishes_.back().replicas;
    std::int64_t down = up;
    for (const Wish& w : wishes_) {
      if (w.at_s >= load.now_s - settings_.up_window_s) up = std::min(up, w.replicas);
      if (w.at_s >= load.now_s - settings_.down_window_s) down = std::max(down, w.replicas);
    }
    return std::min(std::max(now, up), down);
  }

 private:
  struct Wish {
    double at_s = 0;
    std::int64_t replicas = 0;
  };

  static std::int64_t up_to(double replicas) { return static_cast<std::int64_t>(std::ceil(replicas)); }

  std::int64_t wish(const PoolLoad& load) const {
    std::int64_t waiting = load.pending_requests;
    double kv = 0;
    for (const ReplicaView& r : load.serving) {
      waiting += r.waiting_requests;
      kv += static_cast<double>(r.used_blocks) / static_cast<double>(std::max<std::int64_t>(1, r.total_blocks));
    }
    std::int64_t wish = 0;
    if (settings_.requests_per_s)
      wish = std::max(wish, for_total(load, load.arrived_per_s(), *settings_.requests_per_s));
    if (settings_.waiting_requests)
      wish = std::max(wish, for_total(load, static_cast<double>(waiting), *settings_.waiting_requests));
    if (settings_.kv_used_fraction) wish = std::max(wish, for_total(load, kv, *settings_.kv_used_fraction));
    if (settings_.slo) wish = std::max(wish, for_misses(load));
    return wish;
  }

  /// `total` is the metric summed over replicas.
  std::int64_t for_total(const PoolLoad& load, double total, double target) const {
    const std::int64_t now = load.replicas();
    const double ratio = now > 0 ? total / (target * static_cast<double>(now)) : settings_.tolerance + 2;
    return std::abs(ratio - 1) <= settings_.tolerance ? now : up_to(total / target);
  }

  std::int64_t for_misses(const PoolLoad& load) const {
    const std::int64_t now = load.replicas();
    const double missed = static_cast<double>(load.missed_slo);
    const double may_miss = (1 - load.slo_target_fraction) * static_cast<double>(load.finished);
    if (missed <= may_miss / 2) return load.finished > 0 || load.arrived == 0 ? now - 1 : now;
    if (missed <= may_miss) return now;
    return up_to(static_cast<double>(now) * (may_miss > 0 ? std::min(2.0, missed / may_miss) : 2.0));
  }

  Settings settings_;
  std::vector<Wish> wishes_;
};

[[maybe_unused]] const bool added = Registry<Autoscaler>::add<Hpa>(
    "hpa", "Kubernetes' HorizontalPodAutoscaler: metrics against targets, with windows");

}  // namespace
}  // namespace servecast
