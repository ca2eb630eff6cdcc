#pragma once
#include <string>

namespace servecast {

/// While it lives, the YAML file of this name is read as if it held this text: what an editor has not saved yet. The
/// file need not exist; paths in the text count from its folder. One at a time.
class UnsavedText {
 public:
  UnsavedText(std::string file, std::string text);
  ~UnsavedText();
  UnsavedText(const UnsavedText&) = delete;
  UnsavedText& operator=(const UnsavedText&) = delete;

  const std::string& text() const { return text_; }

  /// That of a file; null: the file is read.
  static const std::string* of(const std::string& file);

 private:
  std::string file_;
  std::string text_;
};

}  // namespace servecast
