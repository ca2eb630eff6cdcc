#include "calibrate/samples/row_log.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "models/base/error.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Takes out what stands behind the last whole line; true where a line is left.
bool keep_whole_lines(const std::string& file, const std::string& header) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole > 0 && !text.starts_with(header))
    throw UserError(Place{.file = file, .line = 1},
                    "has other columns than measure writes; name a new file, or one that measure has begun");
  if (whole == 0 && text.size() > header.size())
    throw UserError(Place{.file = file}, "is no CSV of measure's; name a new file, or one that measure has begun");
  if (whole != text.size()) fs::resize_file(file, whole);
  return whole > 0;
}

}  // namespace

RowLog::RowLog(const std::string& file, const std::string& header) : file_(file) {
  if (file.ends_with(".gz"))
    throw UserError(Place{.file = file}, "is written row by row and so not packed; name a .csv");
  found_ = fs::is_regular_file(file) && keep_whole_lines(file, header);
  handle_ = std::fopen(file.c_str(), "ab");
  if (handle_ == nullptr) throw UserError(Place{.file = file}, "cannot be written; does the folder exist?");
  if (!found_) put(header);
}

RowLog::~RowLog() {
  if (handle_ != nullptr) std::fclose(handle_);
}

void RowLog::put(const std::string& row) {
  if (std::fputs(row.c_str(), handle_) < 0 || std::fflush(handle_) != 0)
    throw UserError(Place{.file = file_}, "cannot be written to the end; is the disk full?");
}

}  // namespace servecast
