#include "calibrate/servers/read/left_out.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <map>

#include "calibrate/servers/read/csv_rows.h"

namespace servecast {

ReadServers read_rows(const std::string& file, MeasuredServer (*server)(const CsvRow&)) {
  ReadServers read;
  for (const CsvRow& row : read_csv(file)) {
    try {
      read.servers.push_back(server(row));
    } catch (const NoMatch& problem) {
      read.left_out.push_back({row.file(), row.line(), problem.what()});
    }
  }
  return read;
}

std::string left_out_text(std::span<const ExcludedRow> rows) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> lines;  // by file and reason
  for (const ExcludedRow& row : rows)
    lines[{std::filesystem::path(row.file).filename().string(), row.why}].push_back(row.line);
  std::string text;
  for (const auto& [key, numbers] : lines)
    text += fmt::format("- {}, line{} {}: {}\n", key.first, numbers.size() > 1 ? "s" : "", fmt::join(numbers, ", "),
                        key.second);
  return text;
}

}  // namespace servecast
