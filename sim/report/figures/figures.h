#pragma once
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/shown.h"
#include "sim/report/summary/summary.h"

namespace servecast {

// The table of figures: what the fields() of Summary and of the structs in it list, row by row. Files, the terminal,
// comparisons, objectives of a study, the window and docs/figures.md are made from these rows.

/// What a key of summary.json holds.
enum class RowKind : std::uint8_t { text, yes_no, number, spread, map, list, derived };

/// One key of summary.json.
struct FigureRow {
  std::string key{};  // "pools[].busy_fraction": [] stands for every entry of a list
  RowKind kind = RowKind::number;
  std::string_view help{};
  std::string_view unit{};
  std::optional<Shown> shown{};  // of figures; none: what the report is about, such as its name and seed
};
/// Every key, in the order of the file.
std::vector<FigureRow> figure_rows();

/// One number of a report.
struct Figure {
  std::string key{};      // "requests_per_s", "ttft_s.p99", "pools[0].busy_fraction"
  std::string heading{};  // "TTFT p99"; the key where it has none
  std::string_view unit{};
  Better better = Better::neither;
  std::string (*text)(double) = nullptr;  // as people read it

  std::string shown(std::optional<double> value) const { return value ? text(*value) : "-"; }
};
/// Every number that a figure is, spreads statistic by statistic; keys with [] for entries of lists.
const std::vector<Figure>& figures();

/// The figure with this key; entries of lists by their number. Throws UserError, with the nearest key there is.
Figure figure(std::string_view key);

/// All numbers of one summary.
class FigureValues {
 public:
  explicit FigureValues(const Summary& summary);
  /// Nothing where the run has no such number.
  std::optional<double> of(std::string_view key) const;

 private:
  std::map<std::string, double, std::less<>> values_{};
};

/// A figure by which an architect compares designs, in a table of a sweep or a comparison.
struct FigureColumn : Figure {
  std::string name{};      // of a CSV column or a JSON member
  bool wide_only = false;  // left out of tables that a terminal must hold
};
/// In the order in which one reads them: throughput, latencies, promises, money, energy, answers.
std::vector<FigureColumn> figure_columns();
/// Those of the keys; all of the above where there are none.
std::vector<FigureColumn> figure_columns(std::span<const std::string> keys);

}  // namespace servecast
