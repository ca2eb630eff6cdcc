#pragma once
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/fields.h"
#include "models/base/rng.h"

namespace servecast {

/// Quantiles of a measured time: fractions of requests, and what those took at most.
struct MeasuredTime {
  std::vector<double> fractions{};
  std::vector<double> seconds{};

  /// One request's: log seconds run straight between neighbouring quantiles; beyond the last ones stand those.
  double draw(Rng& rng) const;
};

/// What one has measured of an API oneself.
struct ApiQuantiles {
  std::vector<double> fractions{};
  std::vector<double> ttft_s{};
  std::vector<double> tpot_s{};
  std::int64_t prompt_tokens = 0;
  void fields(Fields& f) {
    f.required("fractions", fractions,
               "of the requests, ascending: 0 for the least time, 0.5 for the median, 1 for the most", fraction);
    f.required("ttft_s", ttft_s, "time to first token of these", positive);
    f.required("tpot_s", tpot_s, "time per output token of these", positive);
    f.required("prompt_tokens", prompt_tokens, "length of the prompts that were sent", at_least_one);
  }
  /// Empty: none.
  std::string problem() const;
};

/// An API whose latencies were published, with how much of a request was measured.
struct PublishedApi {
  std::string_view name{};
  std::string_view help{};
  MeasuredTime ttft{};
  MeasuredTime tpot{};
  std::int64_t prompt_tokens = 0;
};

std::span<const PublishedApi> published_apis();
/// Names for a setting: "stated" first.
std::vector<std::string> latency_names();

}  // namespace servecast
