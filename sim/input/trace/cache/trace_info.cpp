#include "sim/input/trace/cache/trace_info.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "sim/input/trace/cache/drain.h"
#include "sim/input/trace/cache/prefix_set.h"

namespace servecast {
namespace {

double percentile(const std::vector<double>& sorted, double fraction) {
  const double position = fraction * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

LengthInfo lengths(std::vector<double> values) {
  if (values.empty()) return {};
  std::ranges::sort(values);
  return {.mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()),
          .p50 = percentile(values, 0.5),
          .p90 = percentile(values, 0.9),
          .p99 = percentile(values, 0.99),
          .max = values.back()};
}

double gap_cv(const std::vector<double>& times_s) {
  if (times_s.size() < 2 || times_s.back() == times_s.front()) return 0;
  const double count = static_cast<double>(times_s.size() - 1);
  const double mean = (times_s.back() - times_s.front()) / count;
  double squares = 0;
  for (std::size_t i = 1; i < times_s.size(); ++i) {
    const double off = times_s[i] - times_s[i - 1] - mean;
    squares += off * off;
  }
  return std::sqrt(squares / count) / mean;
}

struct BinInfo {
  double dispersion = 0;
  double peak_per_s = 0;
};

/// Arrivals in bins of equal length from the first one on, the last bin part-filled, empty bins included.
BinInfo bins(const std::vector<double>& times_s, double bin_s) {
  if (times_s.empty()) return {};
  const auto bin = [&](double t) { return std::floor((t - times_s.front()) / bin_s); };
  double squares = 0;
  double peak = 0;
  for (std::size_t from = 0; from < times_s.size();) {
    std::size_t to = from;
    while (to < times_s.size() && bin(times_s[to]) == bin(times_s[from])) ++to;
    const auto count = static_cast<double>(to - from);
    squares += count * count;
    peak = std::max(peak, count);
    from = to;
  }
  const double bin_count = bin(times_s.back()) + 1;
  const double mean = static_cast<double>(times_s.size()) / bin_count;
  return {.dispersion = (squares / bin_count - mean * mean) / mean, .peak_per_s = peak / bin_s};
}

/// Sums up requests as they come.
class Collector {
 public:
  void add(const Request& request, bool by_itself, const std::vector<std::string>& classes) {
    if (by_itself) times_s_.push_back(request.arrival_s);
    prompts_.push_back(static_cast<double>(request.prompt_tokens));
    outputs_.push_back(static_cast<double>(request.output_tokens));
    if (request.session != SessionId{}) ++turns_[request.session];
    if (request.request_class != ClassId{}) ++info_.classes[classes[index(request.request_class)]];
    if (request.block_tokens == 0) return;
    has_blocks_ = true;
    const auto hit = static_cast<std::int64_t>(prefixes_.add(request.prefix_blocks)) * request.block_tokens;
    hit_tokens_ += static_cast<double>(std::min(hit, request.prompt_tokens));
  }

  TraceInfo finish() {
    info_.requests = static_cast<std::int64_t>(prompts_.size());
    add_times();
    if (has_blocks_) info_.prefix_hit_fraction = hit_tokens_ / std::accumulate(prompts_.begin(), prompts_.end(), 0.0);
    info_.prompt_tokens = lengths(std::move(prompts_));
    info_.output_tokens = lengths(std::move(outputs_));
    info_.sessions = static_cast<std::int64_t>(turns_.size());
    std::int64_t sum = 0;  // sum and maximum: the order of the walk does not matter
    for (const auto& [session, turns] : turns_) {
      sum += turns;
      info_.max_turns = std::max(info_.max_turns, turns);
    }
    if (!turns_.empty()) info_.mean_turns = static_cast<double>(sum) / static_cast<double>(turns_.size());
    return info_;
  }

 private:
  void add_times() {
    info_.arrivals = static_cast<std::int64_t>(times_s_.size());
    if (times_s_.empty()) return;
    info_.span_s = times_s_.back() - times_s_.front();
    if (info_.span_s > 0) info_.arrivals_per_s = static_cast<double>(times_s_.size()) / info_.span_s;
    info_.gap_cv = gap_cv(times_s_);
    const BinInfo by_1s = bins(times_s_, 1);
    const BinInfo by_60s = bins(times_s_, 60);
    info_.dispersion_1s = by_1s.dispersion;
    info_.dispersion_60s = by_60s.dispersion;
    info_.peak_1s_per_s = by_1s.peak_per_s;
    info_.peak_60s_per_s = by_60s.peak_per_s;
  }

  TraceInfo info_;
  std::vector<double> times_s_, prompts_, outputs_;
  std::unordered_map<SessionId, std::int64_t> turns_;
  PrefixSet prefixes_;
  bool has_blocks_ = false;
  double hit_tokens_ = 0;
};

}  // namespace

TraceInfo describe(Workload& workload, const WorkloadNotes& notes) {
  Collector collector;
  drain(workload, [&](const Request& request, std::optional<double> think_s) {
    collector.add(request, !think_s.has_value(), notes.classes.all());
  });
  TraceInfo info = collector.finish();
  info.skipped_rows = notes.skipped_rows;
  return info;
}

}  // namespace servecast
