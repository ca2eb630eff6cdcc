#include "sim/plan/sweep_table.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "models/base/escaped.h"
#include "sim/report/csv_writer.h"
#include "sim/report/figures.h"
#include "sim/report/json_fields.h"
#include "sim/report/text_layout.h"

namespace servecast {
namespace {

using nlohmann::ordered_json;

std::string value_of(const std::string& setting) { return setting.substr(setting.find('=') + 1); }

bool has_draws(const SweepTable& table) {
  return std::ranges::any_of(table.results, [](const Replicated& drawn) { return !drawn.draws.empty(); });
}

/// Those that have room on a terminal and that any point has.
std::vector<Figure> narrow_figures(const SweepTable& table) {
  const auto any_has = [&](const Figure& f) {
    return std::ranges::any_of(table.results, [&](const Replicated& r) { return r.best && f.of(*r.best); });
  };
  std::vector<Figure> some;
  std::ranges::copy_if(figures(), std::back_inserter(some),
                       [&](const Figure& f) { return !f.wide_only && any_has(f); });
  return some;
}

void add_cells(std::vector<std::string>& row, const std::vector<Figure>& columns, const Summary& summary) {
  for (const Figure& figure : columns) {
    const std::optional<double> value = figure.of(summary);
    row.push_back(value ? figure.text(*value) : "-");
  }
}

/// The ends of the interval, in rows of their own.
void add_interval(TextTable& rows, const SweepTable& table, const std::vector<Figure>& columns,
                  const Interval& interval) {
  for (const auto& [name, bound] : {std::pair{" 5 %", &interval.p05}, std::pair{"95 %", &interval.p95}}) {
    std::vector<std::string> row(table.dimensions.size());
    row.back() = name;
    add_cells(row, columns, *bound);
    row.emplace_back();
    rows.row(row);
  }
}

std::vector<std::string> point_row(const std::vector<std::string>& point, const std::vector<Figure>& columns,
                                   const Replicated& result, std::string& notes) {
  std::vector<std::string> row;
  for (const std::string& setting : point) row.push_back(value_of(setting));
  if (result.best)
    add_cells(row, columns, *result.best);
  else
    row.resize(row.size() + columns.size(), "-");
  row.emplace_back(result.best && result.best->saturated ? "saturated" : "");
  if (!result.failure.empty()) {
    const auto number = std::to_string(std::ranges::count(notes, '\n') + 1);
    row.back() += (row.back().empty() ? "failed (" : ", (") + number + ")";
    notes += "(" + number + ") " + visible(result.failure) + "\n";
  }
  return row;
}

ordered_json figures_json(const Summary& summary) {
  ordered_json json = ordered_json::object();
  for (const Figure& figure : figures()) {
    const std::optional<double> value = figure.of(summary);
    json[std::string(figure.key)] = value ? ordered_json(*value) : ordered_json();
  }
  return json;
}

ordered_json point_json(const std::vector<std::string>& point, const Replicated& result) {
  ordered_json json{{"set", point}};
  if (result.best) {
    json["figures"] = figures_json(*result.best);
    json["saturated"] = result.best->saturated;
  }
  if (const auto interval = result.interval()) {
    json["p05"] = figures_json(interval->p05);
    json["p95"] = figures_json(interval->p95);
  }
  if (!result.failure.empty()) json["failure"] = result.failure;
  return json;
}

std::string csv_header(const SweepTable& table) {
  std::string header;
  for (const SweepAxis& dimension : table.dimensions) header += csv_cell(dimension.path) + ",";
  for (const Figure& figure : figures()) {
    header += std::string(figure.key) + ",";
    if (has_draws(table))
      for (const char* bound : {"_p05,", "_p95,"}) header += std::string(figure.key) + bound;
  }
  return header + "saturated,failure";
}

}  // namespace

std::string sweep_text(const SweepTable& table) {
  TextTable rows(table.dimensions.size());
  std::vector<std::string> headings;
  for (const SweepAxis& dimension : table.dimensions) headings.push_back(dimension.path);
  const std::vector<Figure> columns = narrow_figures(table);
  for (const Figure& figure : columns) headings.emplace_back(figure.heading);
  headings.emplace_back();
  rows.row(headings);
  std::string notes;
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    rows.row(point_row(table.points[i], columns, table.results[i], notes));
    if (const auto interval = table.results[i].interval()) add_interval(rows, table, columns, *interval);
  }
  return rows.text(0, any_width) + (notes.empty() ? "" : "\n" + notes);
}

void write_sweep_csv(const std::string& file, const SweepTable& table) {
  CsvWriter csv(file, csv_header(table));
  const bool draws = has_draws(table);
  for (std::size_t i = 0; i < table.points.size(); ++i) {
    const Replicated& result = table.results[i];
    const std::optional<Interval> interval = result.interval();
    for (const std::string& setting : table.points[i]) csv.cell(value_of(setting));
    for (const Figure& figure : figures()) {
      csv.cell(result.best ? figure.of(*result.best) : std::nullopt);
      if (draws)
        for (const auto bound : {&Interval::p05, &Interval::p95})
          csv.cell(interval ? figure.of((*interval).*bound) : std::nullopt);
    }
    csv.cell(!result.best ? "" : result.best->saturated ? "1" : "0").cell(result.failure).end_row();
  }
  csv.close();
}

ordered_json sweep_json(const SweepTable& table) {
  ordered_json json{{"over", ordered_json::array()}, {"points", ordered_json::array()}};
  for (const SweepAxis& dimension : table.dimensions) json["over"].push_back(dimension.path);
  for (std::size_t i = 0; i < table.points.size(); ++i)
    json["points"].push_back(point_json(table.points[i], table.results[i]));
  round_numbers(json);
  return json;
}

}  // namespace servecast
