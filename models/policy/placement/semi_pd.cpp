// Placement "semi_pd": on every replica's GPUs a prefill and a decode process run at the same time, each with a share
// of the SMs, over one KV pool (semi-PD, Hong et al., arXiv 2504.19867).
//
// Decodes do not wait for prompts as colocated ones do, no KV moves, and weights and KV memory are there once, for
// both. It loses where one phase alone has work and its share does not let it have all SMs, and where both want the
// memory bandwidth. Shares that add to more than 100 overlap: (100, 100) leaves everything to the hardware, which
// favours prompts, since their kernels are longer.
//
// With bounds given, algorithm 1 of the paper moves SMs every `window_steps` steps: where one bound is broken and the
// other kept, the side that is late gets more, in steps, until its expected latency keeps the bound; what would go
// beyond 100 is taken from the other side instead. The paper leaves step, window and most steps open. A window
// should outlast a request, or the TPOT of those that finish in it is that of shares long gone: 500 steps are some 10
// to 20 s. Latencies are expected to follow its fits, TPOT = 0.6284 / y + 0.3818 and TTFT = 0.6809 / (x - load) +
// 0.022, x and y shares of what both together may use, load the share of SMs that prompts need; both are scaled to
// what was measured last.
#include <algorithm>
#include <cmath>
#include <limits>

#include "models/policy/placement.h"

namespace servecast {
namespace {

struct SemiPdSettings {
  double prefill_sm_fraction = 0.8;
  double decode_sm_fraction = 1;
  std::optional<double> ttft_s{};
  std::optional<double> tpot_s{};
  double percentile = 90;
  std::int64_t window_steps = 500;
  double step_fraction = 0.05;
  std::int64_t most_steps = 10;
  double switch_s = 3;
  void fields(Fields& f) {
    const Range share{.min = 0.01, .max = 1};
    f.field("prefill_sm_fraction", prefill_sm_fraction, "of the SMs that prompts may use, at first", share);
    f.field("decode_sm_fraction", decode_sm_fraction,
            "of the SMs that decodes may use, at first; with the other perhaps more than 1", share);
    f.field("ttft_s", ttft_s, "bound that SMs are moved for; with tpot_s. Left out: shares stay", positive);
    f.field("tpot_s", tpot_s, "likewise; with ttft_s", positive);
    f.field("percentile", percentile, "of TTFT and of TPOT that is to keep its bound", Range{.min = 1, .max = 100});
    f.field("window_steps", window_steps, "steps, of prompts or decodes, between two evaluations", at_least_one);
    f.field("step_fraction", step_fraction, "of the SMs that are moved at a time, and that a side keeps at least",
            Range{.min = 0.01, .max = 0.5});
    f.field("most_steps", most_steps, "most of these at once", at_least_one);
    f.field("switch_s", switch_s, "from the decision until processes with the new shares have started");
  }
};

class SloPartition final : public SmPartition {
 public:
  explicit SloPartition(const SemiPdSettings& settings) : settings_(settings) {}

  SmShares first() const override {
    return {.prefill = settings_.prefill_sm_fraction, .decode = settings_.decode_sm_fraction};
  }
  std::int64_t window_steps() const override {
    return settings_.ttft_s && settings_.tpot_s ? settings_.window_steps : 0;
  }
  double percentile() const override { return settings_.percentile; }
  double switch_s() const override { return settings_.switch_s; }

  SmShares next(const SmShares& now, const SmWindow& window) const override {
    const bool ttft_late = window.ttft_s.value_or(0) > *settings_.ttft_s;
    const bool tpot_late = window.tpot_s.value_or(0) > *settings_.tpot_s;
    if (ttft_late == tpot_late) return now;
    SmShares wanted = now;
    for (std::int64_t k = 1; k <= settings_.most_steps; ++k) {
      const double more = static_cast<double>(k) * settings_.step_fraction;
      wanted = now;
      if (ttft_late) {
        move(more, wanted.prefill, wanted.decode);
        if (expected_ttft_s(now, wanted, window) <= *settings_.ttft_s) break;
      } else {
        move(more, wanted.decode, wanted.prefill);
        if (expected_tpot_s(now, wanted, window) <= *settings_.tpot_s) break;
      }
    }
    return wanted;
  }

 private:
  void move(double more, double& to, double& from) const {
    const double sum = to + more;
    to = std::min(1.0, sum);
    from = std::max(settings_.step_fraction, from - (sum - to));
  }

  // Of SMs that both may use, each has its part.
  static double part(double mine, double other) { return mine / std::max(1.0, mine + other); }

  static double expected_tpot_s(const SmShares& now, const SmShares& then, const SmWindow& window) {
    return *window.tpot_s * memory_stretch(part(then.decode, then.prefill)) /
           memory_stretch(part(now.decode, now.prefill));
  }
  static double expected_ttft_s(const SmShares& now, const SmShares& then, const SmWindow& window) {
    const double load = window.requests_per_s * window.prompt_s;
    const double before = waits(part(now.prefill, now.decode), load);
    const double after = waits(part(then.prefill, then.decode), load);
    return std::isinf(before) ? after * window.prompt_s : *window.ttft_s * after / before;
  }
  /// In times of a prompt with all SMs to itself.
  static double waits(double share, double load) {
    return share > load ? 0.6809 / (share - load) + 0.022 : std::numeric_limits<double>::infinity();
  }
  SemiPdSettings settings_;
};

class SemiPd final : public Placement {
 public:
  using Settings = SemiPdSettings;
  explicit SemiPd(const Settings& settings) : settings_(settings) {}

  std::unique_ptr<SmPartition> sm_partition() const override { return std::make_unique<SloPartition>(settings_); }
  std::string problem() const override {
    if (settings_.ttft_s.has_value() == settings_.tpot_s.has_value()) return {};
    return "SMs are moved for ttft_s and tpot_s together; give both, or none and the shares stay";
  }

 private:
  Settings settings_;
};

[[maybe_unused]] const bool added = Registry<Placement>::add<SemiPd>(
    "semi_pd", "a prefill and a decode process share every GPU's SMs and KV memory: semi-PD");

}  // namespace
}  // namespace servecast
