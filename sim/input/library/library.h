#pragma once
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/error.h"

namespace servecast {

/// Where the bundled scenarios, models and hardware lie: the folder in the environment variable SERVECAST_LIBRARY,
/// else the installed one beside the program (../share/servecast/scenarios), else that of the source tree.
std::filesystem::path library_dir();

/// Where files are found by name: library_dir(), then libraries of one's own with the same layout: `servecast` in the
/// folder of settings (XDG_CONFIG_HOME, else ~/.config), where it is there, and the folders that SERVECAST_PATH
/// lists, separated by colons. Throws UserError for one of these that is no folder.
std::vector<std::filesystem::path> library_folders();

/// A kind of file that is found by name.
struct LibraryFolder {
  std::string_view kind;       // as messages call it
  std::string_view path;       // of the folder in a library
  std::string_view extension;  // with its dot
};
inline constexpr LibraryFolder llm_folder{"llm", "llms", ".json"};
inline constexpr LibraryFolder gpu_folder{"gpu", "hw/gpus", ".yaml"};
inline constexpr LibraryFolder node_folder{"node", "hw/nodes", ".yaml"};
inline constexpr LibraryFolder fabric_folder{"fabric", "hw/fabrics", ".yaml"};
inline constexpr LibraryFolder profile_folder{"profile", "hw/profiles", ".yaml"};
inline constexpr LibraryFolder engine_folder{"engine", "hw/engines", ".yaml"};
inline constexpr LibraryFolder plugin_folder{"plug-in", "plugins", ".so"};

inline constexpr LibraryFolder scenario_folder{"scenario", "", ".yaml"};
inline constexpr LibraryFolder study_folder{"study", "studies", ".yaml"};

/// Names of the files in all libraries, sorted.
std::vector<std::string> library_names(const LibraryFolder& folder);

/// Where the file of a name lies, or would lie among the bundled ones. Throws UserError where several libraries have
/// one.
std::string library_path(const LibraryFolder& folder, const std::string& name, const Place& where = {});

/// "bundled", or the file.
std::string library_origin(const LibraryFolder& folder, const std::string& name);

/// What a file brings that lies in a library of one's own, e.g. "gpu 'our_gpu'"; empty where it lies elsewhere. The
/// path must be canonical.
std::string own_entry(const std::string& file);

/// Whether this is a path, and no name: it holds a '/' or ends with the folder's extension.
bool is_path(const LibraryFolder& folder, const std::string& name_or_path);

/// The file of a name; or where `name_or_path` is a path, that: as seen from the folder of `named_in` (the file that
/// names it), else from the working folder. Throws UserError at `where` for an unknown name, and for one of several
/// libraries.
std::string library_file(const LibraryFolder& folder, const std::string& name_or_path, const Place& where,
                         const std::string& named_in);

}  // namespace servecast
