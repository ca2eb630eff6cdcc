#include "sim/input/files/line_reader.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "models/base/error.h"
#include "models/base/input_file.h"
#include "models/base/utf8.h"
#include "sim/input/files/files_read.h"

namespace servecast {
namespace {

// Where a gzip file breaks off is known to about this many bytes of text.
constexpr std::size_t chunk_bytes = 64 * 1024;
// A request with a million block ids of 15 digits. A line is held as a whole, so one without end would fill the
// memory.
constexpr std::size_t longest_line_mib = 16;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t") == std::string_view::npos; }

}  // namespace

void Line::fail(std::string_view part, const std::string& message) const {
  const int column = static_cast<int>(part.data() - text.data()) + 1;
  throw UserError(Place{.file = *file, .line = number, .column = column}, message);
}

LineReader::LineReader(const std::string& file) : file_(file), buffer_(chunk_bytes) {
  line_.file = &file_;
  if (!is_folder(file_)) handle_ = gzopen(file_.c_str(), "rb");
  if (handle_ == nullptr) throw unreadable(file_);
  FilesRead::note(file_);
  gzbuffer(handle_, chunk_bytes);
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(file_, error);
  file_bytes_ = error ? 0 : static_cast<std::int64_t>(size);
}

LineReader::~LineReader() { gzclose(handle_); }

std::optional<Line> LineReader::next() {
  if (repeat_) {
    repeat_ = false;
    return line_;
  }
  while (take_line())
    if (!is_blank(line_.text)) return line_;
  return std::nullopt;
}

void LineReader::check_rest() {
  if (gzdirect(handle_)) return;  // no gzip; it may be a device without an end
  std::vector<char> unread(chunk_bytes);
  while (gzread(handle_, unread.data(), chunk_bytes) > 0) continue;
  check_end();
}

bool LineReader::take_line() {
  std::size_t searched = 0;
  for (;;) {
    const char* from = buffer_.data() + begin_;
    const std::size_t size = end_ - begin_;
    const void* found = std::memchr(from + searched, '\n', size - searched);
    if (found == nullptr) {
      searched = size;
      if (size > longest_line_mib << 20)
        throw UserError(
            Place{.file = file_, .line = line_.number + 1},
            fmt::format("the line is longer than {} MiB; each request has a line of its own", longest_line_mib));
      if (fill()) continue;
      line_.text = {};
      if (size == 0) return false;
    }
    from = buffer_.data() + begin_;
    const std::size_t length = found ? static_cast<std::size_t>(static_cast<const char*>(found) - from) : size;
    begin_ += length + (found ? 1 : 0);
    line_.text = {from, length};
    if (line_.text.ends_with('\r')) line_.text.remove_suffix(1);
    if (++line_.number == 1 && line_.text.starts_with(byte_order_mark))
      line_.text.remove_prefix(byte_order_mark.size());
    return true;
  }
}

bool LineReader::fill() {
  std::copy(buffer_.begin() + static_cast<std::ptrdiff_t>(begin_),
            buffer_.begin() + static_cast<std::ptrdiff_t>(end_), buffer_.begin());
  end_ -= begin_;
  begin_ = 0;
  if (end_ + chunk_bytes > buffer_.size()) buffer_.resize(2 * buffer_.size());
  const int got = gzread(handle_, buffer_.data() + end_, chunk_bytes);
  if (got <= 0) check_end();
  if (got <= 0) return false;
  if (line_.number == 0 && end_ == 0 && file_.ends_with(".gz") && gzdirect(handle_))
    throw UserError(Place{.file = file_}, "is named .gz but is no gzip file; rename it or pack it");
  end_ += static_cast<std::size_t>(got);
  read_bytes_ = gzoffset(handle_);
  return true;
}

/// Nothing more came: was that the end, or is the file broken?
void LineReader::check_end() {
  int code = Z_OK;
  gzerror(handle_, &code);
  if (code == Z_OK) return;
  const std::string where = line_.number == 0 ? "" : fmt::format(" after line {}", line_.number);
  const std::string what = code == Z_BUF_ERROR    ? "is a gzip file that is cut short"
                           : code == Z_DATA_ERROR ? "is a gzip file that is corrupt"
                                                  : "cannot be read on";
  throw UserError(Place{.file = file_, .line = line_.number}, what + where + "; copy or download the file again");
}

double LineReader::fraction_read() const {
  if (file_bytes_ == 0) return 1;
  return std::min(1.0, static_cast<double>(read_bytes_) / static_cast<double>(file_bytes_));
}

}  // namespace servecast
