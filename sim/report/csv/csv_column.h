#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "sim/report/csv/csv_writer.h"

namespace servecast {

/// One column of a CSV file: what its header says, what it is, and its cell of a row.
template <class Row>
struct CsvColumn {
  std::string_view name;
  std::string_view help;
  void (*put)(CsvWriter&, const Row&);
};

/// Member after member (or pointer to one, or function of one) from a row to what stands in its cell.
template <auto first, auto... rest>
decltype(auto) follow(const auto& row) {
  if constexpr (sizeof...(rest) == 0)
    return std::invoke(first, row);
  else
    return follow<rest...>(std::invoke(first, row));
}

template <auto... path>
inline constexpr auto cell_of = [](CsvWriter& csv, const auto& row) {
  const auto& value = follow<path...>(row);
  if constexpr (std::is_enum_v<std::remove_cvref_t<decltype(value)>>)
    csv.cell(static_cast<std::uint32_t>(value));
  else
    csv.cell(value);
};

/// A CSV file, row by row; keeps no row. Call close() at the end.
template <class Row>
class CsvTable {
 public:
  CsvTable(const std::string& file, std::vector<CsvColumn<Row>> columns)
      : columns_(std::move(columns)), csv_(file, header_of(columns_)) {}
  void add(const Row& row) {
    for (const CsvColumn<Row>& column : columns_) column.put(csv_, row);
    csv_.end_row();
  }
  void close() { csv_.close(); }

 private:
  static std::string header_of(const std::vector<CsvColumn<Row>>& columns) {
    std::string header;
    for (const CsvColumn<Row>& column : columns) header += (header.empty() ? "" : ",") + std::string(column.name);
    return header;
  }

  std::vector<CsvColumn<Row>> columns_;
  CsvWriter csv_;
};

/// What is said of a CSV file of a report.
struct CsvFile {
  struct Column {
    std::string_view name{};
    std::string_view help{};
    std::string_view only{};  // when it is there; empty: always
  };
  std::string_view name{};
  std::string_view about{};
  std::vector<Column> columns{};

  CsvFile& with(const auto& more, std::string_view only = "") {
    for (const auto& column : more) columns.push_back({column.name, column.help, only});
    return *this;
  }
};

/// Every CSV file of a report. Readers take columns by these names.
const std::vector<CsvFile>& csv_files();

}  // namespace servecast
