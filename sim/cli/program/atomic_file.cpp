#include "sim/cli/program/atomic_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <filesystem>

#include "models/base/error.h"
#include "sim/report/files/left_behind.h"
#include "sim/report/files/text_file.h"

namespace servecast {

namespace fs = std::filesystem;

namespace {

/// Waits until the bytes are on the disk, so that the new name never points at a file that a power cut emptied.
void sync(const std::string& file) {
  const int handle = ::open(file.c_str(), O_RDONLY | O_CLOEXEC);
  if (handle < 0) return;
  ::fsync(handle);
  ::close(handle);
}

}  // namespace

void replace_file(const std::string& file, std::string_view text) {
  std::error_code ignored;
  try {
    const fs::path target = fs::canonical(file);
    const std::string mark = target.filename().string() + ".partial-";
    remove_left_behind(target.parent_path(), mark);
    const fs::path fresh = target.parent_path() / name_of_this_process(mark);
    try {
      write_text(fresh.string(), text);
      fs::permissions(fresh, fs::status(target).permissions());
      sync(fresh.string());
      fs::rename(fresh, target);
    } catch (...) {
      fs::remove(fresh, ignored);
      throw;
    }
  } catch (const fs::filesystem_error& error) {
    throw UserError(Place{.file = file}, "cannot be written: " + error.code().message());
  }
}

}  // namespace servecast
