#include "sim/input/trace/generate/arrivals.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/input/trace/generate/day_curve.h"

namespace servecast {
namespace {

class Poisson final : public ArrivalProcess {
 public:
  explicit Poisson(const PoissonSpec& spec) : mean_gap_s_(1 / spec.requests_per_s) {}
  double next_s(Rng& rng) override { return now_s_ += rng.exponential(mean_gap_s_); }

 private:
  double mean_gap_s_;
  double now_s_ = 0;
};

/// A gamma distribution of shape k has the coefficient of variation 1/sqrt(k).
class Gamma final : public ArrivalProcess {
 public:
  explicit Gamma(const GammaSpec& spec) : shape_(1 / (spec.cv * spec.cv)), mean_gap_s_(1 / spec.requests_per_s) {}
  double next_s(Rng& rng) override { return now_s_ += mean_gap_s_ * rng.gamma(shape_); }

 private:
  double shape_;
  double mean_gap_s_;
  double now_s_ = 0;
};

class Constant final : public ArrivalProcess {
 public:
  explicit Constant(const ConstantSpec& spec) : per_s_(spec.requests_per_s) {}
  double next_s(Rng&) override { return static_cast<double>(count_++) / per_s_; }  // a quotient, so no error adds up

 private:
  double per_s_;
  std::int64_t count_ = 0;
};

/// Starts with a burst. A gap that would reach over the end of a phase is drawn anew from there: exponential gaps
/// have no memory.
class OnOff final : public ArrivalProcess {
 public:
  explicit OnOff(const OnOffSpec& spec) : spec_(spec) {}
  double next_s(Rng& rng) override {
    for (;;) {
      const double rate = on_ ? spec_.on_requests_per_s : spec_.off_requests_per_s;
      if (now_s_ < phase_end_s_ && rate > 0) {
        const double arrival_s = now_s_ + rng.exponential(1 / rate);
        if (arrival_s < phase_end_s_) return now_s_ = arrival_s;
      }
      now_s_ = phase_end_s_;
      on_ = !on_;
      phase_end_s_ += rng.exponential(on_ ? spec_.mean_on_s : spec_.mean_off_s);
    }
  }

 private:
  OnOffSpec spec_;
  bool on_ = false;  // so that the first change begins a burst
  double now_s_ = 0;
  double phase_end_s_ = 0;
};

/// inference-perf's loads: "constant" has exponential gaps, divided by their sum and multiplied by the stage's
/// length; "poisson" has them as they are. (The tool draws those of every second apart and fills it; only whole
/// seconds count.)
class StagedArrivals final : public ArrivalProcess {
 public:
  explicit StagedArrivals(const ArrivalSpec& spec) : stages_(spec.stages), scaled_(spec.stage_gaps == "scaled") {}
  double next_s(Rng& rng) override {
    while (given_ == arrivals_s_.size()) {
      if (stage_ == stages_.size()) return std::numeric_limits<double>::infinity();
      draw(stages_[stage_++], rng);
    }
    return arrivals_s_[given_++];
  }

 private:
  void draw(const StageSpec& stage, Rng& rng) {
    arrivals_s_.assign(static_cast<std::size_t>(requests_of(stage)), 0);
    given_ = 0;
    double sum = 0;
    for (double& at : arrivals_s_) at = sum += rng.exponential(1);
    const double start_s = end_s_ + stage.pause_s;
    for (double& at : arrivals_s_) at = start_s + (scaled_ ? at / sum * stage.duration_s : at / stage.requests_per_s);
    end_s_ = arrivals_s_.empty() ? start_s + stage.duration_s : arrivals_s_.back();
  }

  std::vector<StageSpec> stages_;
  bool scaled_;
  std::size_t stage_ = 0;
  std::vector<double> arrivals_s_{};  // of one stage
  std::size_t given_ = 0;
  double end_s_ = 0;
};

/// Another process on a clock that runs fast where the rate is high.
class Bent final : public ArrivalProcess {
 public:
  Bent(std::unique_ptr<ArrivalProcess> even, const DayCurveSpec& curve) : even_(std::move(even)), curve_(curve) {}
  double next_s(Rng& rng) override { return curve_.time_s(even_->next_s(rng)); }

 private:
  std::unique_ptr<ArrivalProcess> even_;
  DayCurve curve_;
};

std::unique_ptr<ArrivalProcess> make_even(const ArrivalSpec& spec) {
  if (spec.poisson) return std::make_unique<Poisson>(*spec.poisson);
  if (spec.gamma) return std::make_unique<Gamma>(*spec.gamma);
  if (spec.constant) return std::make_unique<Constant>(*spec.constant);
  if (spec.on_off) return std::make_unique<OnOff>(*spec.on_off);
  if (!spec.stages.empty()) return std::make_unique<StagedArrivals>(spec);
  return nullptr;
}

void check_day_curve(const DayCurveSpec& spec, const std::string& path, SpecProblems& problems) {
  if (spec.hourly.empty() == !spec.peak_factor) problems.add(path, "'day_curve' needs either hourly or peak_factor");
  if (!spec.hourly.empty() && spec.hourly.size() != 24)
    problems.add(path + ".hourly", fmt::format("'hourly' needs 24 numbers, not {}", spec.hourly.size()));
  if (!spec.hourly.empty() && std::ranges::none_of(spec.hourly, [](double rate) { return rate > 0; }))
    problems.add(path + ".hourly", "'hourly' is all zero; at least one rate must be above");
}

}  // namespace

void check_arrivals(const ArrivalSpec& spec, const std::string& path, SpecProblems& problems) {
  problems.exactly_one(path, {{"poisson", spec.poisson.has_value()},
                              {"gamma", spec.gamma.has_value()},
                              {"constant", spec.constant.has_value()},
                              {"on_off", spec.on_off.has_value()},
                              {"closed_loop", spec.closed_loop.has_value()},
                              {"stages", !spec.stages.empty()}});
  if (spec.day_curve) check_day_curve(*spec.day_curve, path + ".day_curve", problems);
  if (spec.stages.size() == 1 && spec.stages.front().warm_up)
    problems.add(path + ".stages[0].warm_up", "a warm-up comes before other stages; give more than one");
  if (spec.next_stage == "drained" && spec.stages.empty())
    problems.add(path + ".next_stage", "'drained' waits for stages; give stages, or leave it out");
  if (spec.stage_gaps == "poisson" && spec.stages.empty())
    problems.add(path + ".stage_gaps", "'poisson' gaps here are those of stages; give stages, or leave it out");
  if (spec.day_curve && !spec.stages.empty())
    problems.add(path + ".day_curve", "'day_curve' cannot bend stages, which say their rates themselves");
  if (!spec.closed_loop) return;
  if (spec.day_curve) problems.add(path + ".day_curve", "'day_curve' cannot bend closed_loop, which has no rate");
  if (spec.closed_loop->think_s)
    check_distribution(*spec.closed_loop->think_s, path + ".closed_loop.think_s", problems);
}

std::int64_t requests_of(const StageSpec& stage) { return std::llround(stage.requests_per_s * stage.duration_s); }

std::optional<std::int64_t> stage_requests(const ArrivalSpec& spec) {
  if (spec.stages.empty()) return std::nullopt;
  std::int64_t sum = 0;
  for (const StageSpec& stage : spec.stages) sum += requests_of(stage);
  return sum;
}

std::unique_ptr<ArrivalProcess> make_arrivals(const ArrivalSpec& spec) {
  std::unique_ptr<ArrivalProcess> even = make_even(spec);
  if (!even || !spec.day_curve) return even;
  return std::make_unique<Bent>(std::move(even), *spec.day_curve);
}

}  // namespace servecast
