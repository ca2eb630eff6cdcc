#pragma once
#include <array>
#include <optional>
#include <span>
#include <vector>

#include "gui/data/report/requests.h"

namespace servecast::gui {

struct Span {
  double from = 0;
  double to = 0;
  bool contains(double value) const { return value >= from && value <= to; }  // false for NaN
  bool operator==(const Span&) const = default;
};

/// A range of values cut into many equal bins, on a linear or a logarithmic scale: fine enough that a plot of any
/// width shows one or more bins per pixel column.
struct Binning {
  static constexpr std::size_t bins = 2048;
  double low = 0;
  double high = 1;
  bool log = false;

  std::size_t bin_of(double value) const;  // clamped to the range
  double edge(std::size_t bin) const;      // the bin's lower end
};

/// From the least to the largest value, a little rounded; logarithmic scales leave out what is not positive.
Binning binning_of(std::span<const double> values, bool log);

/// The bin of each value; `no_bin` where it is absent.
inline constexpr std::uint16_t no_bin = 0xffff;
std::vector<std::uint16_t> bins_of(std::span<const double> values, const Binning& binning);

/// A span chosen in one plot, or in several: what is in every one counts.
struct Brush {
  std::optional<Span> arrival_s{};
  std::array<std::optional<Span>, metric_names.size()> latency{};

  bool empty() const;
  bool operator==(const Brush&) const = default;
};

/// 1 for each request that lies in every chosen span, else 0.
std::vector<std::uint8_t> chosen(const Requests& requests, const Brush& brush);

/// How many values lie in each bin, of all (no mask) or of those that the mask has.
using Counts = std::array<std::uint32_t, Binning::bins>;
Counts count(std::span<const std::uint16_t> bins, std::span<const std::uint8_t> mask = {});

}  // namespace servecast::gui
