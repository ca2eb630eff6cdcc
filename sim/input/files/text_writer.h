#pragma once
#include <string>
#include <string_view>

struct gzFile_s;

namespace servecast {

/// Writes a text file that appears whole or not at all: under another name first, then renamed. Symbolic links are
/// followed. Packed where the name ends in .gz, without time or name inside, so that the same text gives the same
/// bytes.
class TextWriter {
 public:
  /// Throws UserError where the file cannot be written or is none.
  explicit TextWriter(const std::string& file);
  ~TextWriter();  // without finish(): leaves nothing behind
  TextWriter(const TextWriter&) = delete;
  TextWriter& operator=(const TextWriter&) = delete;

  void write(std::string_view text);
  void finish();

 private:
  [[noreturn]] void fail() const;
  std::string file_;
  std::string target_;
  std::string part_;  // its name until it is whole
  gzFile_s* handle_ = nullptr;
};

}  // namespace servecast
