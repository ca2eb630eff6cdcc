#include "sim/report/csv/csv_writer.h"

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

#include "models/base/error.h"
#include "models/base/escaped.h"

namespace servecast {

CsvWriter::CsvWriter(std::string file, std::string_view header)
    : name_(std::move(file)), file_(std::fopen(name_.c_str(), "wb")) {
  if (!file_) fail();
  put(header);
  put("\n");
}

void CsvWriter::fail() const { throw UserError({name_}, std::string("cannot be written: ") + std::strerror(errno)); }

CsvWriter& CsvWriter::cell(std::string_view text) {
  if (is_plain_csv(text))
    put(text);
  else
    put(csv_cell(text));
  put(",");
  return *this;
}

void CsvWriter::put(std::string_view text) {
  while (!text.empty()) {
    make_room();
    const auto room = static_cast<std::size_t>(buffer_.get() + capacity - end_);
    const std::size_t part = std::min(room, text.size());
    std::memcpy(end_, text.data(), part);
    end_ += part;
    text.remove_prefix(part);
  }
}

void CsvWriter::flush() {
  // The last character stays behind: end_row() turns the comma after a row's last cell into the line's end.
  const auto size = static_cast<std::size_t>(end_ - buffer_.get());
  if (size < 2) return;
  if (std::fwrite(buffer_.get(), 1, size - 1, file_.get()) != size - 1) fail();
  buffer_[0] = buffer_[size - 1];
  end_ = buffer_.get() + 1;
}

void CsvWriter::close() {
  const auto size = static_cast<std::size_t>(end_ - buffer_.get());
  if (std::fwrite(buffer_.get(), 1, size, file_.get()) != size) fail();
  if (std::fclose(file_.release()) != 0) fail();
}

}  // namespace servecast
