#include "sim/input/files/text_writer.h"

#include <zlib.h>

#include <filesystem>

#include "models/base/error.h"
#include "sim/input/files/output_target.h"

namespace servecast {

TextWriter::TextWriter(const std::string& file)
    : file_(file), target_(output_target(file)), part_(target_ + ".part") {
  handle_ = gzopen(part_.c_str(), file_.ends_with(".gz") ? "wb9" : "wbT");
  if (handle_ == nullptr) fail();
}

TextWriter::~TextWriter() {
  if (handle_ == nullptr) return;
  gzclose(handle_);
  std::error_code ignored;
  std::filesystem::remove(part_, ignored);
}

void TextWriter::write(std::string_view text) {
  if (!text.empty() && gzwrite(handle_, text.data(), static_cast<unsigned>(text.size())) == 0) fail();
}

void TextWriter::finish() {
  const int closed = gzclose(handle_);
  handle_ = nullptr;
  std::error_code error;
  if (closed == Z_OK) std::filesystem::rename(part_, target_, error);
  if (closed == Z_OK && !error) return;
  std::filesystem::remove(part_, error);
  fail();
}

void TextWriter::fail() const {
  throw UserError(Place{.file = file_}, "cannot be written; is there such a folder, and room in it?");
}

}  // namespace servecast
