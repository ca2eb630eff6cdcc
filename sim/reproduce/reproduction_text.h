#pragma once
#include <span>
#include <string>

#include "sim/reproduce/reproduce.h"

namespace servecast {

std::string to_text(const FigureUnit& unit, double value);
/// "at least 1.4 times", "1.7 to 2.7 times"; "-" for none.
std::string to_text(const FigureUnit& unit, const std::optional<FigureRange>& range);

/// For a terminal: a table for each system, and how many figures hold.
std::string reproduction_text(std::span<const ReproducedSystem> systems);
/// The tables of docs/reproductions.md, one for each system.
std::string reproduction_markdown(std::span<const ReproducedSystem> systems);
/// Its first table: a row for each system, with a link to its section.
std::string reproduction_overview(std::span<const ReproducedSystem> systems);
/// For programs: a list of systems with their rows, and the commands that simulate the figures.
std::string reproduction_json(std::span<const ReproducedSystem> systems);

}  // namespace servecast
