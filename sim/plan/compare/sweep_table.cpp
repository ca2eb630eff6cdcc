#include "sim/plan/compare/sweep_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/base/escaped.h"
#include "sim/report/csv/csv_writer.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

std::string value_of(const std::string& setting) { return setting.substr(setting.find('=') + 1); }

bool has_draws(const SweepTable& table) {
  return std::ranges::any_of(table.results, [](const Replicated& drawn) { return !drawn.draws.empty(); });
}

/// All figures of a point that was simulated.
struct PointValues {
  explicit PointValues(const Replicated& result) {
    if (result.best) best.emplace(*result.best);
    const auto interval = result.interval();
    if (!interval) return;
    p05.emplace(interval->p05);
    p95.emplace(interval->p95);
  }

  std::optional<FigureValues> best{};
  std::optional<FigureValues> p05{};
  std::optional<FigureValues> p95{};
};

std::vector<PointValues> values_of(const SweepTable& table) { return {table.results.begin(), table.results.end()}; }

/// Those that have room on a terminal and that any point has.
std::vector<FigureColumn> narrow_figures(const SweepTable& table, const std::vector<PointValues>& points) {
  const auto any_has = [&](const Figure& f) {
    return std::ranges::any_of(points, [&](const PointValues& point) { return point.best && point.best->of(f.key); });
  };
  std::vector<FigureColumn> some;
  std::ranges::copy_if(table.figures, std::back_inserter(some),
                       [&](const FigureColumn& f) { return !f.wide_only && any_has(f); });
  return some;
}

void add_cells(std::vector<std::string>& row, const std::vector<FigureColumn>& columns,
               const std::optional<FigureValues>& values) {
  for (const FigureColumn& figure : columns)
    row.push_back(figure.shown(values ? values->of(figure.key) : std::nullopt));
}

/// The ends of the interval, in rows of their own.
void add_interval(TextTable& rows, const SweepTable& table, const std::vector<FigureColumn>& columns,
                  const PointValues& point) {
  for (const auto& [name, bound] : {std::pair{" 5 %", &point.p05}, std::pair{"95 %", &point.p95}}) {
    std::vector<std::string> row(table.dimensions.size());
    row.back() = name;
    add_cells(row, columns, *bound);
    row.emplace_back();
    rows.row(row);
  }
}

/// What stands beside the figures: "saturated", "failed (1)", with the reason among the notes.
std::string remark(const Replicated& result, std::string& notes) {
  std::string text = result.best && result.best->saturated ? "saturated" : "";
  if (result.failure.empty()) return text;
  const auto number = std::to_string(std::ranges::count(notes, '\n') + 1);
  notes += "(" + number + ") " + visible(result.failure) + "\n";
  return text + (text.empty() ? "failed (" : ", (") + number + ")";
}

ordered_json figures_json(const SweepTable& table, const FigureValues& values) {
  ordered_json json = ordered_json::object();
  for (const FigureColumn& figure : table.figures) {
    const std::optional<double> value = values.of(figure.key);
    json[figure.name] = value ? ordered_json(*value) : ordered_json();
  }
  return json;
}

ordered_json point_json(const SweepTable& table, std::size_t i, const PointValues& point) {
  const Replicated& result = table.results[i];
  ordered_json json{{"set", table.points[i]}};
  if (point.best) {
    json["figures"] = figures_json(table, *point.best);
    json["saturated"] = result.best->saturated;
  }
  if (point.p05) {
    json["p05"] = figures_json(table, *point.p05);
    json["p95"] = figures_json(table, *point.p95);
  }
  if (!result.failure.empty()) json["failure"] = result.failure;
  return json;
}

std::string csv_header(const SweepTable& table) {
  std::string header;
  for (const SweepAxis& dimension : table.dimensions) header += csv_cell(dimension.path) + ",";
  for (const FigureColumn& figure : table.figures) {
    header += figure.name + ",";
    if (has_draws(table))
      for (const char* bound : {"_p05,", "_p95,"}) header += figure.name + bound;
  }
  return header + "saturated,failure";
}

}  // namespace

std::string sweep_text(const SweepTable& table) {
  TextTable rows(table.dimensions.size());
  std::vector<std::string> headings;
  for (const SweepAxis& dimension : table.dimensions) headings.push_back(dimension.path);
  const std::vector<PointValues> points = values_of(table);
  const std::vector<FigureColumn> columns = narrow_figures(table, points);
  for (const FigureColumn& figure : columns) headings.push_back(figure.heading);
  headings.emplace_back();
  rows.row(headings);
  std::string notes;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    std::vector<std::string> row;
    for (const std::string& setting : table.points[i]) row.push_back(value_of(setting));
    add_cells(row, columns, points[i].best);
    row.push_back(remark(table.results[i], notes));
    rows.row(row);
    if (points[i].p05) add_interval(rows, table, columns, points[i]);
  }
  return rows.text(0, any_width) + (notes.empty() ? "" : "\n" + notes);
}

void write_sweep_csv(const std::string& file, const SweepTable& table) {
  CsvWriter csv(file, csv_header(table));
  const bool draws = has_draws(table);
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const Replicated& result = table.results[i];
    const PointValues point(result);
    for (const std::string& setting : table.points[i]) csv.cell(value_of(setting));
    const auto cell = [&](const std::optional<FigureValues>& values, const Figure& figure) {
      csv.cell(values ? values->of(figure.key) : std::nullopt);
    };
    for (const FigureColumn& figure : table.figures) {
      cell(point.best, figure);
      if (draws) cell(point.p05, figure);
      if (draws) cell(point.p95, figure);
    }
    csv.cell(!result.best ? "" : result.best->saturated ? "1" : "0").cell(result.failure).end_row();
  }
  csv.close();
}

ordered_json sweep_json(const SweepTable& table) {
  ordered_json json{{"over", ordered_json::array()}, {"points", ordered_json::array()}};
  for (const SweepAxis& dimension : table.dimensions) json["over"].push_back(dimension.path);
  for (std::size_t i = 0; i < table.points.size(); ++i)
    json["points"].push_back(point_json(table, i, PointValues(table.results[i])));
  round_numbers(json);
  return json;
}

}  // namespace servecast
