#include "calibrate/servers/read/left_out.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "calibrate/servers/read/csv_rows.h"

namespace servecast {

namespace {

const std::vector<std::size_t> whole_file{0};

/// "3 to 64, 70": lines that follow one another as a range.
std::string lines_text(std::vector<std::size_t> lines) {
  std::ranges::sort(lines);
  std::string text;
  for (std::size_t i = 0; i < lines.size();) {
    std::size_t last = i;
    while (last + 1 < lines.size() && lines[last + 1] == lines[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ", ", lines[i]);
    if (last > i) text += fmt::format(" to {}", lines[last]);
    i = last + 1;
  }
  return text;
}

template <class Make>
void add_server(ReadServers& read, const RunRows& rows, const Make& make) {
  try {
    MeasuredServer server = make();
    server.file = rows.front()->file();
    server.line = rows.front()->line();
    read.servers.push_back(std::move(server));
  } catch (const NoMatch& problem) {
    for (const CsvRow* row : rows) read.left_out.push_back({row->file(), row->line(), problem.what()});
  }
}

}  // namespace

ReadServers read_rows(const std::string& file, MeasuredServer (*server)(const CsvRow&)) {
  ReadServers read;
  for (const CsvRow& row : read_csv(file)) add_server(read, {&row}, [&] { return server(row); });
  return read;
}

ReadServers read_runs(const std::string& file, const std::vector<std::string>& columns,
                      MeasuredServer (*server)(const RunRows&)) {
  const std::vector<CsvRow> rows = read_csv(file);
  std::map<std::vector<std::string>, RunRows> runs;
  for (const CsvRow& row : rows) {
    std::vector<std::string> key;
    for (const std::string& column : columns) key.push_back(row.text(column));
    runs[key].push_back(&row);
  }
  ReadServers read;
  for (const auto& [key, run] : runs) add_server(read, run, [&] { return server(run); });
  return read;
}

std::string left_out_text(std::span<const ExcludedRow> rows) {
  std::map<std::pair<std::string, std::string>, std::vector<std::size_t>> lines;  // by file and reason
  for (const ExcludedRow& row : rows)
    lines[{std::filesystem::path(row.file).filename().string(), row.why}].push_back(row.line);
  std::string text;
  for (const auto& [key, numbers] : lines)
    text += numbers == whole_file ? fmt::format("- {}: {}\n", key.first, key.second)
                                  : fmt::format("- {}, line{} {}: {}\n", key.first, numbers.size() > 1 ? "s" : "",
                                                lines_text(numbers), key.second);
  return text;
}

}  // namespace servecast
