#include "sim/input/library/library.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>

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

namespace {

constexpr std::array kinds_of_files{llm_folder,    gpu_folder,    node_folder,     fabric_folder, profile_folder,
                                    engine_folder, plugin_folder, scenario_folder, study_folder};

/// Empty where no folder of settings is known.
fs::path settings_folder() {
  if (const char* given = std::getenv("XDG_CONFIG_HOME"); given && *given) return given;
  const char* home = std::getenv("HOME");
  return home && *home ? fs::path(home) / ".config" : fs::path();
}

std::vector<fs::path> own_folders() {
  std::vector<fs::path> folders;
  if (const fs::path settings = settings_folder(); !settings.empty() && is_folder(settings / "servecast"))
    folders.push_back(settings / "servecast");
  const char* listed = std::getenv("SERVECAST_PATH");
  std::istringstream words(listed ? listed : "");
  for (std::string word; std::getline(words, word, ':');) {
    if (word.empty()) continue;
    if (!is_folder(word))
      throw UserError(fmt::format("SERVECAST_PATH lists '{}', which is no folder; take it out or make it", word));
    folders.push_back(fs::absolute(word));
  }
  return folders;
}

std::string file_in(const fs::path& library, const LibraryFolder& folder, const std::string& name) {
  return (library / folder.path / (name + std::string(folder.extension))).string();
}

}  // namespace

std::vector<fs::path> library_folders() {
  std::vector<fs::path> folders = own_folders();
  folders.insert(folders.begin(), library_dir());
  return folders;
}

std::vector<std::string> library_names(const LibraryFolder& folder) {
  std::vector<std::string> names;
  std::error_code missing;  // a library without this folder has no names
  for (const fs::path& library : library_folders())
    for (const fs::directory_entry& entry : fs::directory_iterator(library / folder.path, missing))
      if (entry.path().extension() == folder.extension) names.push_back(entry.path().stem().string());
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

std::string library_path(const LibraryFolder& folder, const std::string& name, const Place& where) {
  std::string found;
  for (const fs::path& library : library_folders()) {
    const std::string file = file_in(library, folder, name);
    if (!is_there(file)) continue;
    if (!found.empty() && !fs::equivalent(found, file))
      throw UserError(where, fmt::format("{} '{}' is in two libraries, '{}' and '{}': rename one, or name the path",
                                         folder.kind, name, found, file));
    found = file;
  }
  return found.empty() ? file_in(library_dir(), folder, name) : found;
}

std::string library_origin(const LibraryFolder& folder, const std::string& name) {
  std::string file = library_path(folder, name);
  return file == file_in(library_dir(), folder, name) ? "bundled" : file;
}

std::string own_entry(const std::string& file) {
  const fs::path path(file);
  for (const fs::path& library : own_folders())
    for (const LibraryFolder& folder : kinds_of_files) {
      const fs::path top = fs::canonical(library) / folder.path;
      if (path.extension() == folder.extension && path.parent_path() / "" == top / "")
        return fmt::format("{} '{}'", folder.kind, path.stem().string());
    }
  return "";
}

bool is_path(const LibraryFolder& folder, const std::string& name_or_path) {
  return name_or_path.find('/') != std::string::npos || name_or_path.ends_with(folder.extension);
}

std::string library_file(const LibraryFolder& folder, const std::string& name_or_path, const Place& where,
                         const std::string& named_in) {
  if (is_path(folder, name_or_path)) {
    const fs::path beside = fs::path(named_in).parent_path() / name_or_path;  // an absolute path stays itself
    if (is_there(beside)) return beside.string();
    FilesRead::note(beside.string());  // it would come first
    return name_or_path;
  }
  if (std::string file = library_path(folder, name_or_path, where); is_there(file)) return file;
  const std::vector<std::string> names = library_names(folder);
  if (names.empty())
    throw UserError(where,
                    fmt::format("unknown {} '{}': no {} file lies in '{}'. SERVECAST_LIBRARY may name the folder "
                                "of scenarios that came with the program",
                                folder.kind, name_or_path, folder.extension, (library_dir() / folder.path).string()));
  throw UserError(where, unknown_name(folder.kind, name_or_path, names) + "; or the path of a " +
                             std::string(folder.extension) + " file");
}

}  // namespace servecast
