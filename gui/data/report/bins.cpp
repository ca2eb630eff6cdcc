#include "gui/data/report/bins.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace servecast::gui {

std::size_t Binning::bin_of(double value) const {
  const double share = log ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return static_cast<std::size_t>(std::clamp(share * static_cast<double>(bins), 0.0, static_cast<double>(bins - 1)));
}

double Binning::edge(std::size_t bin) const {
  const double share = static_cast<double>(bin) / static_cast<double>(bins);
  return log ? low * std::pow(high / low, share) : low + (high - low) * share;
}

Binning binning_of(std::span<const double> values, bool log) {
  constexpr double margin = 1.02;  // so that the largest value does not lie on the frame
  double least = INFINITY, largest = -INFINITY;
  for (const double value : values) {
    if (log && value <= 0) continue;
    least = std::min(least, value);  // NaN changes neither
    largest = std::max(largest, value);
  }
  if (least > largest) return {.low = log ? 1e-3 : 0, .high = 1, .log = log};  // nothing to show
  if (!log) return {.low = 0, .high = largest > 0 ? largest * margin : 1};
  return {.low = least / margin, .high = largest * margin, .log = true};
}

std::vector<std::uint16_t> bins_of(std::span<const double> values, const Binning& binning) {
  std::vector<std::uint16_t> out(values.size(), no_bin);
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!std::isnan(values[i]))
      out[i] =
          binning.log && values[i] <= 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(binning.bin_of(values[i]));
  return out;
}

bool Brush::empty() const {
  return !arrival_s && std::ranges::none_of(latency, [](const auto& span) { return span.has_value(); });
}

std::vector<std::uint8_t> chosen(const Requests& requests, const Brush& brush) {
  std::vector<std::uint8_t> mask(requests.size(), 1);
  const auto keep = [&mask](const Column& values, const Span& span) {
    for (std::size_t i = 0; i < values.size(); ++i)
      mask[i] &= static_cast<std::uint8_t>(values[i] >= span.from) & static_cast<std::uint8_t>(values[i] <= span.to);
  };
  if (brush.arrival_s) keep(requests.arrival_s, *brush.arrival_s);
  for (std::size_t m = 0; m < brush.latency.size(); ++m)
    if (brush.latency[m]) keep(requests.latency[m], *brush.latency[m]);
  return mask;
}

Counts count(std::span<const std::uint16_t> bins, std::span<const std::uint8_t> mask) {
  assert(mask.empty() || mask.size() == bins.size());
  Counts counts{};
  for (std::size_t i = 0; i < bins.size(); ++i)
    if (bins[i] != no_bin) counts[bins[i]] += mask.empty() ? 1 : mask[i];
  return counts;
}

}  // namespace servecast::gui
