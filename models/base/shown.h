#pragma once
#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace servecast {

/// Which way a figure should go.
enum class Better : std::uint8_t { neither, lower, higher };

/// A statistic of a spread that has a column of its own on the terminal.
struct ShownStatistic {
  std::string_view key{};      // "p99"
  std::string_view heading{};  // empty: that of the spread and the key
  std::string_view joint{};    // not empty: it stands in the column before, behind this sign
};

/// How a figure of a report is shown. Its unit follows from its key.
struct Shown {
  std::string_view heading{};  // of its column, or of its line in a comparison; empty: files only
  Better better = Better::neither;
  std::string (*text)(double) = nullptr;       // for people, where what the unit says does not fit
  std::array<ShownStatistic, 2> statistics{};  // of a spread
  std::string_view line{};                     // of a spread: its name among the latencies
  std::string_view joint{};                    // as that of a statistic
};

}  // namespace servecast
