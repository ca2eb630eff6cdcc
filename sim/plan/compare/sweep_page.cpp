#include "sim/plan/compare/sweep_page.h"

#include <algorithm>
#include <cassert>
#include <map>

#include "models/base/escaped.h"

namespace servecast {
namespace {

using Row = std::vector<std::string>;

std::string cell(std::string text) {
  for (auto at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return " " + text + " |";
}

std::string line(const Row& cells) {
  std::string text = "|";
  for (const std::string& each : cells) text += cell(each);
  return text + "\n";
}

/// "pools[0]." of "pools[0].gpu" and "pools[0].weights"; empty for a single path.
std::string common_front(const std::vector<SweepAxis>& dimensions) {
  if (dimensions.size() < 2) return "";
  const std::string& first = dimensions.front().path;
  std::size_t same = first.size();
  for (const SweepAxis& dimension : dimensions) {
    const auto ends = std::ranges::mismatch(first, dimension.path);
    same = std::min(same, static_cast<std::size_t>(ends.in1 - first.begin()));
  }
  const std::size_t dot = first.substr(0, same).rfind('.');
  return dot == std::string::npos ? "" : first.substr(0, dot + 1);
}

class Page {
 public:
  Page(const SweepTable& table, const std::string& across) : table_(table), across_(table.dimensions.size()) {
    if (across.empty()) return;
    const auto found = std::ranges::find(table.dimensions, across, &SweepAxis::path);
    assert(found != table.dimensions.end());
    across_ = static_cast<std::size_t>(found - table.dimensions.begin());
    columns_ = found->values;
  }

  std::string text() {
    std::string all = line(headings()) + "|";
    for (std::size_t i = 0; i < headings().size(); ++i) all += "---|";
    all += "\n";
    for (Row& row : rows()) all += line(row);
    return all + (notes_.empty() ? "" : "\n" + notes_);
  }

 private:
  bool spread() const { return across_ < table_.dimensions.size(); }

  Row headings() const {
    const std::string front = common_front(table_.dimensions);
    Row row;
    for (std::size_t d = 0; d < table_.dimensions.size(); ++d)
      if (d != across_) row.push_back(table_.dimensions[d].path.substr(front.size()));
    for (const FigureColumn& figure : table_.figures)
      for (const std::string& value : columns_) row.push_back(figure.heading + (spread() ? ", " + value : ""));
    return row;
  }

  /// Of points that differ in nothing but the setting across; in the order of the first of each.
  std::vector<Row> rows() {
    std::map<Row, std::size_t> place;
    std::vector<Row> rows;
    for (std::size_t i = 0; i < table_.points.size(); ++i) {
      Row names;
      for (std::size_t d = 0; d < table_.points[i].size(); ++d)
        if (d != across_) names.push_back(table_.points[i][d].substr(table_.points[i][d].find('=') + 1));
      const auto [at, is_new] = place.emplace(names, rows.size());
      if (is_new) {
        rows.push_back(names);
        rows.back().resize(names.size() + table_.figures.size() * columns_.size());
      }
      fill(rows[at->second], names.size(), i);
    }
    return rows;
  }

  void fill(Row& row, std::size_t first, std::size_t point) {
    std::size_t column = 0;
    if (spread()) {
      const std::string& setting = table_.points[point][across_];
      column = static_cast<std::size_t>(std::ranges::find(columns_, setting.substr(setting.find('=') + 1)) -
                                        columns_.begin());
    }
    const Replicated& result = table_.results[point];
    if (!result.best) {
      ++failures_;
      row[first + column] = "(" + std::to_string(failures_) + ")";
      notes_ += row[first + column] + " " + visible(result.failure) + "\n";
      return;
    }
    const FigureValues values(*result.best);
    for (std::size_t f = 0; f < table_.figures.size(); ++f)
      row[first + f * columns_.size() + column] = table_.figures[f].shown(values.of(table_.figures[f].key));
  }

  const SweepTable& table_;
  std::size_t across_;
  std::vector<std::string> columns_{""};  // values of the setting across; one without
  std::string notes_{};
  std::size_t failures_ = 0;
};

}  // namespace

std::string sweep_markdown(const SweepTable& table, const std::string& across) { return Page(table, across).text(); }

}  // namespace servecast
