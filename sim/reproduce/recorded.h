#pragma once
#include <span>
#include <string>
#include <vector>

#include "sim/reproduce/reproduce.h"

namespace servecast {

/// Our figures of an earlier round, kept in a JSON file: by system, by figure. Reads it for these systems; a row
/// that it lacks has no figure. Throws UserError where it is no such file.
std::vector<ReproducedSystem> recorded(const std::string& file, const std::vector<PaperSystem>& systems);

/// Writes what was found into the file; figures of other rows that there still are stay.
void record(const std::string& file, std::span<const ReproducedSystem> found);

/// What is not as recorded, a line for each: figures that read otherwise, rows that newly miss their band or that
/// are said to miss it and do not. Rows that were not run are left out.
std::vector<std::string> differences(const std::string& file, std::span<const ReproducedSystem> found);

}  // namespace servecast
