#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace servecast::gui {

class MappedFile;

/// Numbers of a CSV column; NaN where a cell is empty. (A std::optional<double> would take twice the memory, and
/// comparing with NaN is false, which is what every filter here wants.)
using Column = std::vector<double>;

/// Texts of a CSV column that repeat: each different one is kept once.
struct Words {
  std::vector<std::uint32_t> code{};  // by row, index into `names`
  std::vector<std::string> names{};   // in order of their first appearance

  const std::string& operator[](std::size_t row) const { return names[code[row]]; }
  bool empty() const { return code.empty(); }
  void push_back(std::string_view word);
};

/// Reads chosen columns of one of our CSV files straight from a memory map. Columns may stand in any order, and
/// others are skipped, so that files of later versions can be read.
///
/// Throws UserError: a needed column is missing, a cell is no number, a row breaks off (the file is cut).
class CsvColumns {
 public:
  enum class Need { required, optional };

  CsvColumns() = default;
  /// Of a report: which of csv_files() it is, e.g. "series.csv". Only columns that this one may have are asked for.
  explicit CsvColumns(std::string_view file);

  void number(std::string name, Column& column, Need need = Need::required);
  void words(std::string name, Words& column, Need need = Need::required);
  /// Where the cell stands in the file: for texts that are read when asked for.
  void place(std::string name, std::vector<std::uint64_t>& offsets);

  void read(const MappedFile& file);

 private:
  struct Sink {
    std::string name{};
    Need need = Need::required;
    Column* numbers = nullptr;
    Words* words = nullptr;
    std::vector<std::uint64_t>* offsets = nullptr;
  };
  struct Cursor;

  void add(Sink sink);
  std::vector<const Sink*> by_position(Cursor& at, std::string_view header) const;
  void reserve(std::size_t rows) const;
  static void take(const Sink& sink, std::string_view cell, const Cursor& at);

  std::string_view file_{};
  std::vector<Sink> sinks_{};
};

}  // namespace servecast::gui
