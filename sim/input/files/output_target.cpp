#include "sim/input/files/output_target.h"

#include <filesystem>

#include "models/base/error.h"

namespace servecast {

namespace fs = std::filesystem;

std::string output_target(const std::string& file) {
  try {
    const fs::file_status there = fs::status(file);  // throws where links go in a circle
    if (fs::is_directory(there)) throw UserError(Place{.file = file}, "is a folder, not a file");
    if (fs::exists(there) && !fs::is_regular_file(there))
      throw UserError(Place{.file = file}, "is no regular file; give the path of a file");
    fs::path target = file;
    while (fs::is_symlink(target)) target = target.parent_path() / fs::read_symlink(target);
    return target.string();
  } catch (const fs::filesystem_error& error) {
    throw UserError(Place{.file = file}, "cannot be written: " + error.code().message());
  }
}

}  // namespace servecast
