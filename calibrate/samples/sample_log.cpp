#include "calibrate/samples/sample_log.h"

#include <filesystem>
#include <fstream>
#include <iterator>

#include "calibrate/samples/samples_csv.h"
#include "models/base/error.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Takes out what stands behind the last whole line; true where a line is left.
bool keep_whole_lines(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  in.close();
  const std::size_t whole = text.rfind('\n') == std::string::npos ? 0 : text.rfind('\n') + 1;
  if (whole > 0 && !text.starts_with(samples_header()))
    throw UserError(Place{.file = file, .line = 1},
                    "has other columns than measure writes; name a new file, or one that measure has begun");
  if (whole == 0 && text.size() > samples_header().size())
    throw UserError(Place{.file = file}, "is no samples.csv; name a new file, or one that measure has begun");
  if (whole != text.size()) fs::resize_file(file, whole);
  return whole > 0;
}

}  // namespace

SampleLog::SampleLog(const std::string& file) : file_(file) {
  if (file.ends_with(".gz"))
    throw UserError(Place{.file = file}, "is written row by row and so not packed; name a .csv");
  const bool there = fs::is_regular_file(file) && keep_whole_lines(file);
  if (there) found_ = read_samples(file);
  handle_ = std::fopen(file.c_str(), "ab");
  if (handle_ == nullptr) throw UserError(Place{.file = file}, "cannot be written; does the folder exist?");
  if (!there) put(samples_header());
}

SampleLog::~SampleLog() {
  if (handle_ != nullptr) std::fclose(handle_);
}

void SampleLog::write(const Sample& sample) { put(samples_line(sample)); }

void SampleLog::put(const std::string& text) {
  if (std::fputs(text.c_str(), handle_) < 0 || std::fflush(handle_) != 0)
    throw UserError(Place{.file = file_}, "cannot be written to the end; is the disk full?");
}

}  // namespace servecast
