#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "models/base/fields.h"
#include "models/base/rng.h"
#include "sim/input/trace/generate/distribution.h"

namespace servecast {

struct PoissonSpec {
  double requests_per_s = 0;
  void fields(Fields& f) { f.required("requests_per_s", requests_per_s, "mean rate", positive); }
};

struct GammaSpec {
  double requests_per_s = 0;
  double cv = 1;
  void fields(Fields& f) {
    f.required("requests_per_s", requests_per_s, "mean rate", positive);
    f.required("cv", cv, "coefficient of variation of the gaps; 1 is Poisson, more is burstier", positive);
  }
};

struct ConstantSpec {
  double requests_per_s = 0;
  void fields(Fields& f) { f.required("requests_per_s", requests_per_s, "rate", positive); }
};

struct OnOffSpec {
  double on_requests_per_s = 0;
  double off_requests_per_s = 0;
  double mean_on_s = 0;
  double mean_off_s = 0;
  void fields(Fields& f) {
    f.required("on_requests_per_s", on_requests_per_s, "rate in a burst", positive);
    f.field("off_requests_per_s", off_requests_per_s, "rate between bursts");
    f.required("mean_on_s", mean_on_s, "mean length of a burst (exponential)", positive);
    f.required("mean_off_s", mean_off_s, "mean time between bursts (exponential)", positive);
  }
};

struct ClosedLoopSpec {
  std::int64_t clients = 1;
  std::optional<DistributionSpec> think_s{};
  void fields(Fields& f) {
    f.required("clients", clients, "how many ask at the same time", {.min = 1, .max = 1e6});
    f.group("think_s", think_s, "a client's pause between an answer and its next request; none if left out");
  }
};

/// One stage of a load test.
struct StageSpec {
  double requests_per_s = 0;
  double duration_s = 0;
  double pause_s = 0;
  bool warm_up = false;
  void fields(Fields& f) {
    f.required("requests_per_s", requests_per_s, "mean rate", positive);
    f.required("duration_s", duration_s, "length of the stage; it has exactly rate x length requests, see stage_gaps",
               positive);
    f.field("pause_s", pause_s, "time without arrivals before it");
    f.field("warm_up", warm_up,
            "latencies and kept promises of all requests leave its requests out; those of its class have them");
  }
};

/// A rate that rises and falls with the hour. Either way its mean over the period is the arrival process's rate.
struct DayCurveSpec {
  double period_s = 86400;
  std::vector<double> hourly{};
  std::optional<double> peak_factor{};
  double peak_s = 50400;
  void fields(Fields& f) {
    f.field("period_s", period_s, "length of a day", positive);
    f.field("hourly", hourly, "24 rates, one per 24th of the period, in any unit");
    f.field("peak_factor", peak_factor, "in place of hourly: a sine wave whose peak is so many times the mean",
            {.min = 1, .max = 2});
    f.field("peak_s", peak_s, "when the sine wave peaks, from the start of the period");
  }
};

/// When requests (with sessions: first requests of a session) arrive. Exactly one process is given.
struct ArrivalSpec {
  std::optional<PoissonSpec> poisson{};
  std::optional<GammaSpec> gamma{};
  std::optional<ConstantSpec> constant{};
  std::optional<OnOffSpec> on_off{};
  std::optional<ClosedLoopSpec> closed_loop{};
  std::vector<StageSpec> stages{};
  std::string stage_gaps = "scaled";
  std::string next_stage = "by_the_clock";
  std::optional<DayCurveSpec> day_curve{};
  void fields(Fields& f) {
    f.group("poisson", poisson, "independent arrivals");
    f.group("gamma", gamma, "gamma-distributed gaps");
    f.group("constant", constant, "equal gaps");
    f.group("on_off", on_off, "Poisson bursts with pauses between");
    f.group("closed_loop", closed_loop, "a fixed number of clients; each asks again when it has its answer");
    f.list("stages", stages,
           "a load test as inference-perf runs it, stage after stage; the requests of several stages form classes of "
           "their own");
    f.field(
        "stage_gaps", stage_gaps,
        "gaps between a stage's arrivals. scaled: Poisson gaps, scaled so that they fill the stage (inference-perf's "
        "load type \"constant\"); poisson: as they are drawn, so that the stage ends with its last arrival, sooner "
        "or later than its length says (its load type \"poisson\")",
        {"scaled", "poisson"});
    f.field(
        "next_stage", next_stage,
        "when a stage begins. by_the_clock: when the one before is over; drained: when all its requests have ended, "
        "too, as benchmark tools wait for them",
        {"by_the_clock", "drained"});
    f.group("day_curve", day_curve, "bends the rate of any of these but closed_loop and stages");
  }
};

/// The times of arrival of an open loop, one after the other.
class ArrivalProcess {
 public:
  virtual ~ArrivalProcess() = default;
  virtual double next_s(Rng& rng) = 0;  // never decreases; infinite once nothing arrives any more
};

/// Of one stage.
std::int64_t requests_of(const StageSpec& stage);
/// Requests of all stages; none where there are no stages.
std::optional<std::int64_t> stage_requests(const ArrivalSpec& spec);

/// Adds what is wrong with the settings at `path`.
void check_arrivals(const ArrivalSpec& spec, const std::string& path, SpecProblems& problems);

/// Requires settings that check_arrivals() has passed; none for a closed loop.
std::unique_ptr<ArrivalProcess> make_arrivals(const ArrivalSpec& spec);

}  // namespace servecast
