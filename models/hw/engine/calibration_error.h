#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"

namespace servecast {

/// Measured over forecast: the factor that 5, 50 and 95 % of what was measured stay below. The forecast itself is
/// never moved; only draws of the error are. A median off 1 and unequal sides say that an engine is slower than
/// forecast more often than faster.
struct ErrorRange {
  double p05 = 1;
  double p50 = 1;
  double p95 = 1;

  /// The factor of a draw of the standard normal distribution: log-normal on either side of the median. `spread`
  /// multiplies its logarithm.
  double factor(double normal, double spread) const;

  void fields(Fields& f) {
    f.field("p05", p05, "5 % are below", {.min = 0.01, .max = 1});
    f.field("p50", p50, "half are below", {.min = 0.01, .max = 100});
    f.field("p95", p95, "95 % are below", {.min = 1, .max = 100});
  }
};

/// How a pool serves, as far as errors differ by it.
struct ServedPool {
  std::string_view gpu{};  // name of its file
  bool experts = false;    // a mixture of experts
  std::string_view layout = "one";
  std::string_view load = "closed";
};

/// How far an engine's forecasts may be off beyond what its kernels' fits say, for some of the pools it serves.
struct CalibrationError {
  std::vector<std::string> gpus{};  // empty: all
  std::string models = "any";
  std::string layout = "any";
  std::string load = "any";
  ErrorRange steps{};
  ErrorRange first_token{};
  double stalls_fraction = 0;
  std::string source{};

  bool is_of(const ServedPool& pool) const;

  void fields(Fields& f) {
    f.field("gpus", gpus, "pools on these GPUs, by file; none: on any");
    f.field("models", models, "that serve such models", {"any", "dense", "experts"});
    f.field("layout", layout,
            "routed: several replicas behind a router with hops of its own (llmd, prefix_affinity, weighted); apart: "
            "prompts and decodes on pools of their own; one: others",
            {"any", "one", "routed", "apart"});
    f.field(
        "load", load,
        "how requests come to them. closed: from clients that wait for their answers, which bounds the queue; open: "
        "by themselves",
        {"any", "closed", "open"});
    f.group("steps", steps, "of what steps take");
    f.group(
        "first_token", first_token,
        "of the time until the first token, beyond that of its steps: front end, router, hops, first use of "
        "kernels and graphs. Of an open load, the time before a request's first step counts for its way in alone: "
        "its queue follows from the steps");
    f.field("stalls_fraction", stalls_fraction,
            "of that time, what stalls add to a request in the mean; exponential, so that few requests wait long",
            {.max = 10});
    f.field("source", source, "what the figures were fitted on, or where they come from");
  }
};

/// The first that is of this pool; null: none, and draws move its kernels alone.
const CalibrationError* error_of(const std::vector<CalibrationError>& errors, const ServedPool& pool);

}  // namespace servecast
