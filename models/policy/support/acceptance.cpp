#include "models/policy/support/acceptance.h"

#include <algorithm>
#include <cassert>

#include "models/base/mixed_bits.h"

namespace servecast {
namespace {

/// Uniform in [0, 1), for one token of one request.
double uniform(std::uint64_t key, RequestId request, std::uint64_t place) {
  const std::uint64_t of_request = mixed_bits(key + index(request) * 0x9e3779b97f4a7c15u);
  return static_cast<double>(mixed_bits(of_request + place * 0x9e3779b97f4a7c15u) >> 11) * 0x1p-53;
}

}  // namespace

std::optional<std::string> AcceptanceSettings::problem() const {
  const auto outside = [](double p) { return p < 0 || p > 1; };
  if (by_position.empty()) return "by_position needs at least one chance";
  if (std::ranges::any_of(by_position, outside)) return "every chance in by_position lies between 0 and 1";
  if (rate_fraction && !trace.empty()) return "give either rate_fraction or trace, not both";
  return std::nullopt;
}

Acceptance::Acceptance(const AcceptanceSettings& settings, std::vector<std::int64_t> trace, std::uint64_t key)
    : by_position_(settings.by_position), trace_(std::move(trace)), key_(key) {
  if (settings.rate_fraction) by_position_ = {*settings.rate_fraction};
}

double Acceptance::chance(std::int64_t position) const {
  return by_position_[std::min(static_cast<std::size_t>(position), by_position_.size() - 1)];
}

std::int64_t Acceptance::accepted(const Drafts& d) const {
  if (!trace_.empty()) {
    const double start = uniform(key_, d.request, 0) * static_cast<double>(trace_.size());
    const std::size_t at = (static_cast<std::size_t>(start) + static_cast<std::size_t>(d.steps)) % trace_.size();
    return std::min(trace_[at], d.count);
  }
  std::int64_t count = 0;
  while (count < d.count && uniform(key_, d.request, static_cast<std::uint64_t>(d.made + count)) < chance(count))
    ++count;
  return count;
}

double Acceptance::mean_accepted(std::int64_t drafts) const {
  double sum = 0;
  if (!trace_.empty()) {
    for (const std::int64_t n : trace_) sum += static_cast<double>(std::min(n, drafts));
    return sum / static_cast<double>(trace_.size());
  }
  double all = 1;  // chance that this draft and all before it are taken over
  for (std::int64_t i = 0; i < drafts; ++i) sum += all *= chance(i);
  return sum;
}

}  // namespace servecast
