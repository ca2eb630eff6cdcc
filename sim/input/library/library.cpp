#include "sim/input/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "models/base/input_file.h"
#include "models/base/names.h"
#include "sim/input/files/files_read.h"

namespace servecast {
namespace fs = std::filesystem;

fs::path library_dir() {
  if (const char* given = std::getenv("SERVECAST_LIBRARY"); given && *given) return given;
  std::error_code unreadable;
  const fs::path program = fs::read_symlink("/proc/self/exe", unreadable);
  if (!unreadable) {
    const fs::path installed = program.parent_path().parent_path() / "share/servecast/scenarios";
    if (is_folder(installed)) return installed;
  }
  return fs::path(SERVECAST_SOURCE_DIR) / "scenarios";
}

std::vector<std::string> library_names(const LibraryFolder& folder) {
  std::vector<std::string> names;
  std::error_code missing;  // a library without this folder has no names
  for (const fs::directory_entry& entry : fs::directory_iterator(library_dir() / folder.path, missing))
    if (entry.path().extension() == folder.extension) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  return names;
}

std::string library_path(const LibraryFolder& folder, const std::string& name) {
  return (library_dir() / folder.path / (name + std::string(folder.extension))).string();
}

std::string library_file(const LibraryFolder& folder, const std::string& name_or_path, const Place& where,
                         const std::string& named_in) {
  if (name_or_path.find('/') != std::string::npos || name_or_path.ends_with(folder.extension)) {
    const fs::path beside = fs::path(named_in).parent_path() / name_or_path;  // an absolute path stays itself
    if (is_there(beside)) return beside.string();
    FilesRead::note(beside.string());  // it would come first
    return name_or_path;
  }
  const std::vector<std::string> names = library_names(folder);
  if (names.empty())
    throw UserError(where,
                    fmt::format("unknown {} '{}': no {} file lies in '{}'. SERVECAST_LIBRARY may name the folder "
                                "of scenarios that came with the program",
                                folder.kind, name_or_path, folder.extension, (library_dir() / folder.path).string()));
  if (!std::ranges::binary_search(names, name_or_path))
    throw UserError(where, unknown_name(folder.kind, name_or_path, names) + "; or the path of a " +
                               std::string(folder.extension) + " file");
  return library_path(folder, name_or_path);
}

}  // namespace servecast
