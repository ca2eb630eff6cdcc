#include "sim/cli/listing/figures_text.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>

#include "models/base/units.h"
#include "sim/report/csv/csv_column.h"
#include "sim/report/figures/figures.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

constexpr std::string_view figures_head =
    "# The figures of a report\n\n"
    "<!-- Written by `servecast schema --of figures --format markdown`. Change the `fields()` of the code, not this "
    "file. -->\n\n"
    "Every key of `summary.json`, which [report.md](report.md) is about. `compare`, `whatif` and `sweep` take the "
    "keys of "
    "numbers\n"
    "with `--figures`, and the objectives of a [study](plan.md) name them, too: `ttft_s.p99`, `cost.usd_per_hour`, "
    "`pools[0].busy_fraction`.\n"
    "A *spread* is how something differs from request to request: it has `mean`, `p50`, `p90`, `p95`, `p99` and "
    "`max`. "
    "*Better* says\n"
    "which way a number should go. What is *worked out* from other numbers can be compared, and no file holds it. "
    "The columns of "
    "CSV\n"
    "files follow at the end.\n";

std::string_view word(Better better) {
  constexpr std::array<std::string_view, 3> words{"", "lower", "higher"};  // by Better
  return words[static_cast<std::size_t>(better)];
}

std::string_view word(RowKind kind) {
  constexpr std::array<std::string_view, 7> words{"text", "yes or no", "number",    "spread",
                                                  "map",  "list",      "worked out"};
  return words[static_cast<std::size_t>(kind)];
}

std::string_view better_of(const FigureRow& row) { return row.shown ? word(row.shown->better) : ""; }

/// "pools[].gpus" -> "pools[]"; empty at the top.
std::string map_of(const FigureRow& row) { return row.key.substr(0, row.key.rfind('.') + 1); }

bool holds_others(const FigureRow& row) { return row.kind == RowKind::map || row.kind == RowKind::list; }

std::string markdown_table(const std::vector<FigureRow>& rows, const std::string& map) {
  std::string text = "\n| key | what it is | unit | better | |\n|---|---|---|---|---|\n";
  for (const FigureRow& row : rows)
    if (map_of(row) == map)
      text += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.key.substr(map.size()), row.help, row.unit,
                          better_of(row), row.kind == RowKind::number ? "" : word(row.kind));
  return text;
}

std::string csv_section(const CsvFile& file) {
  std::string text = fmt::format("\n## `{}`\n\n{}.\n\n| column | what it is | unit | only |\n|---|---|---|---|\n",
                                 file.name, file.about);
  for (const CsvFile::Column& c : file.columns)
    text += fmt::format("| `{}` | {} | {} | {} |\n", c.name, c.help, unit_of(c.name), c.only);
  return text;
}

}  // namespace

std::string figures_markdown() {
  const std::vector<FigureRow> rows = figure_rows();
  std::string text = std::string(figures_head) + markdown_table(rows, "");
  for (const FigureRow& row : rows)
    if (holds_others(row)) {
      const std::string whole = row.key + (row.kind == RowKind::list ? "[]" : "");
      text += fmt::format("\n## `{}`\n\n{}.\n", whole, row.help) + markdown_table(rows, whole + ".");
    }
  for (const CsvFile& file : csv_files()) text += csv_section(file);
  return text;
}

std::string figures_json() {
  ordered_json rows = ordered_json::array();
  for (const FigureRow& row : figure_rows())
    rows.push_back({{"key", row.key},
                    {"kind", word(row.kind)},
                    {"unit", row.unit},
                    {"better", better_of(row)},
                    {"heading", row.shown ? row.shown->heading : ""},
                    {"help", row.help}});
  return rows.dump(2) + "\n";
}

std::string figures_plain() {
  constexpr std::size_t width = 96;
  std::string text;
  for (const FigureRow& row : figure_rows()) {
    std::string facts(word(row.kind));
    if (!row.unit.empty()) facts += fmt::format(", {}", row.unit);
    if (!better_of(row).empty()) facts += fmt::format("; {} is better", better_of(row));
    text += fmt::format("{}\n    {}\n    {}\n", row.key, facts, wrapped(std::string(row.help), width, 4));
  }
  return text;
}

}  // namespace servecast
