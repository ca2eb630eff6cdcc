#pragma once
#include <string>
#include <vector>

namespace servecast {

/// While it lives, it knows which files scenarios are read from: whatever opens one says so. One at a time.
class FilesRead {
 public:
  FilesRead();
  ~FilesRead();
  FilesRead(const FilesRead&) = delete;
  FilesRead& operator=(const FilesRead&) = delete;

  /// In the order in which they were first read: what each was read for follows from it.
  const std::vector<std::string>& files() const { return files_; }

  /// "This file is read"; a watcher of files hears it.
  static void note(const std::string& file);

 private:
  std::vector<std::string> files_{};
};

}  // namespace servecast
