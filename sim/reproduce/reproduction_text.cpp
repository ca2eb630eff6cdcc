#include "sim/reproduce/reproduction_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>

#include "sim/report/layout/human.h"
#include "sim/report/layout/text_layout.h"

namespace servecast {
namespace {

using Row = ReproducedRow;

/// Of a published figure or a bound: as many digits as it was given with.
std::string given(const FigureUnit& unit, double value) {
  const double shown = value * unit.scale;
  if (std::abs(shown) >= 1000) return human::count(std::llround(shown));
  std::string digits = fmt::format("{:.3f}", shown);
  digits.erase(digits.find_last_not_of('0') + 1);
  if (digits.back() == '.') digits.pop_back();
  return digits;
}

std::string ours(const Row& row) { return row.ours ? to_text(row.row.unit, *row.ours) : "-"; }

std::string verdict_words(const Row& row) {
  switch (verdict_of(row)) {
    case PaperVerdict::told:
      return row.row.not_asked.empty() ? "-" : "not asked: " + row.row.not_asked;
    case PaperVerdict::holds:
      return "holds";
    case PaperVerdict::missed:
      return "missed: " + row.row.missed;
    case PaperVerdict::new_miss:
      return "missed";
    case PaperVerdict::missed_no_longer:
      return "holds, though said to be missed";
    case PaperVerdict::not_run:
      return row.why_not;
  }
  return {};
}

std::array<std::string, 5> cells_of(const Row& row) {
  return {row.row.figure, to_text(row.row.unit, row.row.published), ours(row), to_text(row.row.unit, row.row.asked),
          verdict_words(row)};
}
constexpr std::array<const char*, 5> headings{"figure", "published", "ours", "asked of ours", "verdict"};

bool asks(const Row& row) { return row.row.asked.has_value(); }
bool holds(const Row& row) {
  const PaperVerdict verdict = verdict_of(row);
  return verdict == PaperVerdict::holds || verdict == PaperVerdict::missed_no_longer;
}
std::string name_of(const ReproducedSystem& system) {
  return system.title.empty() ? system.id : system.id + " " + system.title;
}

std::string anchor(const std::string& heading) {
  std::string link;
  for (const char c : heading) {
    if (c == ' ') link += '-';
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-')
      link += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return link;
}

std::string held(const ReproducedSystem& system) {
  return fmt::format("{} of {}", std::ranges::count_if(system.rows, holds), std::ranges::count_if(system.rows, asks));
}

std::string overview_row(const ReproducedSystem& system) {
  const auto main = std::ranges::find_if(system.rows, asks);
  std::vector<std::string> missed;
  for (const Row& row : system.rows)
    if (asks(row) && !holds(row)) missed.push_back(row.row.figure);
  const std::string name = name_of(system);
  return fmt::format("| [{}](#{}) | {} | {} | {} | {} | {} |\n", name, anchor(name), main->row.figure,
                     to_text(main->row.unit, main->row.published), ours(*main), held(system),
                     missed.empty() ? "-" : fmt::format("{}", fmt::join(missed, "; ")));
}

nlohmann::ordered_json json_of(const FigureUnit& unit, const std::optional<FigureRange>& range) {
  return range ? nlohmann::ordered_json(to_text(unit, range)) : nlohmann::ordered_json(nullptr);
}

nlohmann::ordered_json json_of(const Row& row) {
  nlohmann::ordered_json runs = nlohmann::ordered_json::array();
  for (const ProbePtr& probe : row.row.ours.probes()) runs.push_back(probe->name);
  nlohmann::ordered_json item{{"figure", row.row.figure},
                              {"published", json_of(row.row.unit, row.row.published)},
                              {"ours", nullptr},
                              {"ours_text", ours(row)},
                              {"asked", json_of(row.row.unit, row.row.asked)},
                              {"verdict", verdict_words(row)},
                              {"scenarios", std::move(runs)}};
  if (row.ours) item["ours"] = *row.ours;
  return item;
}

}  // namespace

std::string to_text(const FigureUnit& unit, double value) {
  const double shown = value * unit.scale;
  if (unit.digits == 0 && std::abs(shown) >= 1000) return human::count(std::llround(shown)) + std::string(unit.unit);
  return fmt::format("{:.{}f}{}", shown, unit.digits, unit.unit);
}

std::string to_text(const FigureUnit& unit, const std::optional<FigureRange>& range) {
  if (!range) return "-";
  if (range->low == range->high) return given(unit, range->low) + std::string(unit.unit);
  if (std::isinf(range->high)) return fmt::format("at least {}{}", given(unit, range->low), unit.unit);
  if (std::isinf(range->low)) return fmt::format("at most {}{}", given(unit, range->high), unit.unit);
  return fmt::format("{} to {}{}", given(unit, range->low), given(unit, range->high), unit.unit);
}

std::string reproduction_text(std::span<const ReproducedSystem> systems) {
  std::string text;
  for (const ReproducedSystem& system : systems) {
    text += name_of(system) + " (" + system.source + ")\n";
    TextTable table(1);
    table.row({headings.begin(), headings.begin() + 4});
    for (const Row& row : system.rows) {
      const auto cells = cells_of(row);
      table.row({cells.begin(), cells.begin() + 4});
    }
    text += table.text(2, any_width);
    for (const Row& row : system.rows)
      if (asks(row) && !holds(row)) text += "  " + row.row.figure + ": " + verdict_words(row) + "\n";
    text += "  " + held(system) + " hold\n\n";
  }
  return text;
}

std::string reproduction_markdown(std::span<const ReproducedSystem> systems) {
  std::string text;
  for (const ReproducedSystem& system : systems) {
    text += fmt::format("| {} |\n|---|---|---|---|---|\n", fmt::join(headings, " | "));
    for (const Row& row : system.rows) text += fmt::format("| {} |\n", fmt::join(cells_of(row), " | "));
    text += "\n";
  }
  return text;
}

std::string reproduction_overview(std::span<const ReproducedSystem> systems) {
  std::string text = "| | first figure | published | ours | hold | outside their band |\n|---|---|---|---|---|---|\n";
  for (const ReproducedSystem& system : systems)
    if (!system.example) text += overview_row(system);
  return text;
}

std::string reproduction_json(std::span<const ReproducedSystem> systems) {
  nlohmann::ordered_json items = nlohmann::ordered_json::array();
  for (const ReproducedSystem& system : systems) {
    nlohmann::ordered_json rows = nlohmann::ordered_json::array();
    for (const Row& row : system.rows) rows.push_back(json_of(row));
    items.push_back(
        {{"system", system.id}, {"title", system.title}, {"source", system.source}, {"rows", std::move(rows)}});
  }
  return items.dump(2) + "\n";
}

}  // namespace servecast
