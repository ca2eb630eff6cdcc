#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace servecast {

struct SloSpec;
struct Study;
struct Summary;

/// A promise as one run answers it.
struct Promise {
  std::string metric{};
  std::string request_class{};
  std::int64_t percentile = 0;  // of a latency
  double bound = 0;
  bool at_least = false;  // that, or at most

  bool is_share() const { return metric == "attained_fraction"; }
  bool is_latency() const { return metric == "ttft_s" || metric == "tpot_s" || metric == "e2e_s"; }
  /// Of a report, by its key.
  bool is_figure() const { return !is_share() && !is_latency(); }
  /// "TTFT p99 <= 1.00 s".
  std::string words() const;
  /// Of what was promised, as people read it.
  std::string text(double value) const;
  bool operator==(const Promise&) const = default;
};

/// Those of the study; without any, the share that the scenario's slo asks for. Throws UserError where there is
/// nothing to promise although `needed`.
std::vector<Promise> promises_of(const Study& study, const SloSpec& slo, bool needed);

/// How one promise came out.
struct Outcome {
  std::optional<double> value{};  // nothing: too few requests were served for any
  bool kept = false;
  double miss = 0;  // 1: exactly on the bound; above: that much beyond it

  bool operator==(const Outcome&) const = default;
};

/// Requests that are never served are late without end: a percentile counts them. Where some were not served, the
/// report's percentiles, which are over the served ones, are moved up to the next one that it tells.
Outcome outcome(const Promise& promise, const Summary& run);

/// All requests that will arrive.
struct ExpectedRequests {
  std::int64_t all = 0;
  bool several_tokens = true;  // every one makes two or more, so every one has a TPOT
};

/// True where a run that was stopped on its way proves that the whole one breaks the promise: more requests are late
/// already than may be late in all. What happens later cannot change what has happened.
bool broken_already(const Promise& promise, const Summary& stopped, const ExpectedRequests& requests);

}  // namespace servecast
