#pragma once
#include <span>
#include <string>
#include <vector>

#include "calibrate/servers/measured_server.h"

namespace servecast {

class CsvRow;

/// A server for every row of a file; a row for which `server` throws NoMatch is left out, with its reason.
ReadServers read_rows(const std::string& file, MeasuredServer (*server)(const CsvRow&));

/// The same for runs of several rows: those that agree in all of `columns`, in the order of the file.
using RunRows = std::vector<const CsvRow*>;
ReadServers read_runs(const std::string& file, const std::vector<std::string>& columns,
                      MeasuredServer (*server)(const RunRows&));

/// Markdown, a line per reason with the rows that it holds for.
std::string left_out_text(std::span<const ExcludedRow> rows);

}  // namespace servecast
