#pragma once
#include <QFile>
#include <memory>
#include <string>
#include <string_view>

namespace servecast::gui {

/// A file of text, mapped into memory: reading costs no copy.
class MappedFile {
 public:
  /// Throws UserError where the file is missing, cannot be read or is empty.
  explicit MappedFile(std::string name);

  const std::string& name() const { return name_; }
  std::string_view text() const { return text_; }

 private:
  std::string name_;
  std::unique_ptr<QFile> file_;  // a QFile cannot be moved
  std::string_view text_;
};

}  // namespace servecast::gui
