#pragma once
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "sim/input/files/line_reader.h"
#include "sim/input/trace/rows/trace_row.h"

namespace servecast {

/// In what order a file's rows stand.
enum class RowOrder {
  by_arrival,  // each row arrives by itself and no earlier than the one before: the file is streamed
  any,         // each row arrives by itself: the file is read whole and sorted
  sessions     // rows may wait for an earlier row of their session: the file is read whole
};

/// One file format: how its lines become rows. It reports what is wrong with a line; what is wrong between lines
/// (time running backwards, a session without a first row) is checked for all formats in one place.
class TraceFormat {
 public:
  virtual ~TraceFormat() = default;
  /// Takes the header, where the format has one. Called once, first.
  virtual void begin(LineReader&) {}
  /// Asked after begin().
  virtual RowOrder order() const { return RowOrder::by_arrival; }
  /// False: rows count from the start of their session (TraceRow::start_group), which the file does not tell.
  virtual bool tells_starts() const { return true; }
  /// Fills `row`, which is empty; false at the end of the file.
  virtual bool next(LineReader& lines, TraceRow& row) = 0;
};

/// What a trace file may look like, by name.
struct TraceFormatEntry {
  std::string_view name;
  std::string_view help;
  bool (*recognises)(std::string_view first_line);
  std::unique_ptr<TraceFormat> (*make)();
};

std::span<const TraceFormatEntry> trace_formats();

/// The names in that table, after "auto".
std::vector<std::string> trace_format_choices();

/// The format of this name; with "auto" the one that recognises the file's first line. Throws UserError where none
/// does, or where the file is empty.
const TraceFormatEntry& find_trace_format(const std::string& name, LineReader& lines);

}  // namespace servecast
