#include "sim/input/trace/read/trace_rows.h"

#include <fmt/format.h>

#include "models/base/error.h"
#include "models/base/utf8.h"

namespace servecast {

TraceRows::TraceRows(const std::string& file, const std::string& format, WorkloadNotes& notes)
    : lines_(file), format_(find_trace_format(format, lines_).make()), notes_(notes) {
  format_->begin(lines_);
}

bool TraceRows::next(TraceRow& row) {
  try {
    return read(row);
  } catch (const UserError&) {
    lines_.check_rest();
    throw;
  }
}

bool TraceRows::read(TraceRow& row) {
  row.clear();
  if (!format_->next(lines_, row)) {
    if (rows_ == 0) throw UserError(Place{.file = lines_.file()}, "holds no request; a trace needs at least one");
    return false;
  }
  ++rows_;
  if (order() == RowOrder::any || !row.arrival_s || row.start_group > 0) return true;
  if (*row.arrival_s < latest_s_)
    lines_.current().fail(
        row.arrival_text,
        fmt::format("time runs backwards: this request arrives at {} s, an earlier row at {} s; sort "
                    "the rows by arrival",
                    *row.arrival_s, latest_s_));
  latest_s_ = *row.arrival_s;
  return true;
}

bool TraceRows::next_good(TraceRow& row) {
  while (next(row))
    if (!is_failed(row)) return true;
  return false;
}

bool TraceRows::is_failed(const TraceRow& row) {
  if (row.output_tokens > 0) return false;
  ++notes_.skipped_rows["no output tokens: the request failed when it was recorded"];
  return true;
}

ClassId TraceRows::class_of(const TraceRow& row) {
  if (!is_utf8(row.request_class))
    lines_.current().fail(row.request_class, "the request class is not UTF-8; save the file as UTF-8");
  if (row.request_class.find_first_of(",\"\\") != std::string_view::npos)
    lines_.current().fail(row.request_class,
                          "the request class is a plain name, without commas, quotes and backslashes");
  return notes_.classes.id(row.request_class);
}

}  // namespace servecast
