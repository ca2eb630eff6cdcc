#pragma once
#include <functional>
#include <string>
#include <vector>

#include "calibrate/samples/sample.h"

struct gzFile_s;

namespace servecast {

/// The sizes that a shape has, by the names of their columns: "m 4096, n 8192, k 1024".
std::string sizes_text(const KernelShape& shape);

/// The first line, and one row; each with its line feed.
std::string samples_header();
std::string samples_line(const Sample& sample);

/// Rows of a samples.csv, plain or gzip, in the file's order. Throws UserError with the place of what is wrong.
void read_samples(const std::string& file, const std::function<void(Sample&&)>& take);
std::vector<Sample> read_samples(const std::string& file);

/// Writes a samples.csv; gzip where the name ends with .gz. The file is complete once close() has returned.
class SampleWriter {
 public:
  /// Throws UserError where the file cannot be made.
  explicit SampleWriter(const std::string& file);
  ~SampleWriter();
  SampleWriter(const SampleWriter&) = delete;
  SampleWriter& operator=(const SampleWriter&) = delete;

  void write(const Sample& sample);
  /// Throws UserError where not everything could be written.
  void close();

 private:
  void put(const std::string& text);

  std::string file_;
  gzFile_s* handle_ = nullptr;
  bool failed_ = false;
};

}  // namespace servecast
