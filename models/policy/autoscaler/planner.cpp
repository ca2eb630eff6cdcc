// Autoscaler "planner": sizes the pool anew every interval by the model of its steps, as NVIDIA Dynamo's SLA planner
// does from profiles of its engine.
//
// Takes the rate of arrivals and the mean prompt and output of the interval that has passed, asks what one replica
// bears of such requests within the promise (models/policy/shared/replica_capacity.h), and wants as many as the rate
// takes, with `headroom_fraction` to spare. Prompts, outputs and load may all change; what one replica bears need not
// be known. Wins where the mix changes; loses where the model is wrong, and reacts an interval late. Keeps what it
// has where nothing has finished yet.
#include "models/policy/autoscaler.h"

namespace servecast {
namespace {

class Planner final : public Autoscaler {
 public:
  struct Settings {
    double check_every_s = 60;
    double headroom_fraction = 0.2;
    void fields(Fields& f) {
      f.field("check_every_s", check_every_s, "between two evaluations", positive);
      f.field("headroom_fraction", headroom_fraction, "more than the rate of the interval that has passed");
    }
  };
  explicit Planner(const Settings& settings) : settings_(settings) {}

  double next_evaluation_s(double now_s) const override { return multiple_after(now_s, settings_.check_every_s); }
  bool needs_slo() const override { return true; }

  std::int64_t wanted(const PoolLoad& load) override {
    if (load.finished > 0)
      output_tokens_ = static_cast<double>(load.output_tokens) / static_cast<double>(load.finished);
    if (load.arrived == 0) return load.now_s > 0 ? 0 : load.replicas();
    if (output_tokens_ == 0) return load.replicas();
    const double prompt_tokens = static_cast<double>(load.prompt_tokens) / static_cast<double>(load.arrived);
    const double rate = load.arrived_per_s() * (1 + settings_.headroom_fraction);
    return static_cast<std::int64_t>(std::ceil(rate / load.capacity->requests_per_s(prompt_tokens, output_tokens_)));
  }

 private:
  Settings settings_;
  double output_tokens_ = 0;  // mean of those that finished last
};

[[maybe_unused]] const bool added =
    Registry<Autoscaler>::add<Planner>("planner", "sized by the model of its steps for the rate and lengths of late");

}  // namespace
}  // namespace servecast
