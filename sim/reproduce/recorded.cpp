#include "sim/reproduce/recorded.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "sim/report/fields/json_fields.h"
#include "sim/report/files/text_file.h"
#include "sim/reproduce/reproduction_text.h"

namespace servecast {
namespace {

using Json = nlohmann::ordered_json;

Json read(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in) throw UserError({file}, "cannot be read; servecast reproduce --all --record FILE writes such a file");
  const Json figures = Json::parse(in, nullptr, false);
  if (!figures.is_object())
    throw UserError({file}, "holds no figures; servecast reproduce --record FILE writes them");
  return figures;
}

std::optional<double> figure_in(const Json& figures, const std::string& system, const std::string& figure) {
  const auto found = figures.find(system);
  if (found == figures.end() || !found->is_object()) return std::nullopt;
  const auto value = found->find(figure);
  if (value == found->end() || !value->is_number()) return std::nullopt;
  return value->get<double>();
}

const ReproducedSystem* system_of(std::span<const ReproducedSystem> systems, const std::string& id) {
  for (const ReproducedSystem& system : systems)
    if (system.id == id) return &system;
  return nullptr;
}

std::optional<double> found_figure(const ReproducedSystem* system, const std::string& figure) {
  if (system == nullptr) return std::nullopt;
  for (const ReproducedRow& row : system->rows)
    if (row.row.figure == figure) return row.ours;
  return std::nullopt;
}

}  // namespace

std::vector<ReproducedSystem> recorded(const std::string& file, const std::vector<PaperSystem>& systems) {
  const Json figures = read(file);
  std::vector<ReproducedSystem> found;
  for (const PaperSystem& system : systems) {
    found.push_back({.id = system.id, .title = system.title, .source = system.source, .example = system.example});
    for (const PaperRow& row : system.rows)
      found.back().rows.push_back(
          {.row = row, .ours = figure_in(figures, system.id, row.figure), .why_not = "not recorded"});
  }
  return found;
}

void record(const std::string& file, std::span<const ReproducedSystem> found) {
  const Json before = std::filesystem::exists(file) ? read(file) : Json::object();
  Json after = Json::object();
  for (const PaperSystem& system : paper_systems())
    for (const PaperRow& row : system.rows) {
      const auto now = found_figure(system_of(found, system.id), row.figure);
      if (const auto value = now ? now : figure_in(before, system.id, row.figure))
        after[system.id][row.figure] = *value;
    }
  round_numbers(after);
  write_text(file, text_of(after));
}

std::vector<std::string> differences(const std::string& file, std::span<const ReproducedSystem> found) {
  const Json figures = read(file);
  std::vector<std::string> lines;
  for (const ReproducedSystem& system : found)
    for (const ReproducedRow& row : system.rows) {
      if (!row.ours) continue;
      const std::string name = system.id + ", " + row.row.figure + ": ";
      const std::string now = to_text(row.row.unit, *row.ours);
      const auto before = figure_in(figures, system.id, row.row.figure);
      if (!before)
        lines.push_back(name + "not recorded, now " + now);
      else if (to_text(row.row.unit, *before) != now)
        lines.push_back(name + "recorded " + to_text(row.row.unit, *before) + ", now " + now);
      const PaperVerdict verdict = verdict_of(row);
      if (verdict == PaperVerdict::new_miss)
        lines.push_back(name + now + " is outside the band, " + to_text(row.row.unit, row.row.asked));
      if (verdict == PaperVerdict::missed_no_longer)
        lines.push_back(name + now + " lies in the band, though the row says that it is missed");
    }
  return lines;
}

}  // namespace servecast
