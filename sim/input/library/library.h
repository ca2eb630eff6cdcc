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

/// A kind of file that is bundled by name.
struct LibraryFolder {
  std::string_view kind;       // as messages call it
  std::string_view path;       // below library_dir()
  std::string_view extension;  // with its dot
};
inline constexpr LibraryFolder llm_folder{"llm", "llms", ".json"};
inline constexpr LibraryFolder gpu_folder{"gpu", "hw/gpus", ".yaml"};
inline constexpr LibraryFolder node_folder{"node", "hw/nodes", ".yaml"};
inline constexpr LibraryFolder fabric_folder{"fabric", "hw/fabrics", ".yaml"};
inline constexpr LibraryFolder profile_folder{"profile", "hw/profiles", ".yaml"};
inline constexpr LibraryFolder engine_folder{"engine", "hw/engines", ".yaml"};

/// Names of the bundled files, sorted.
std::vector<std::string> library_names(const LibraryFolder& folder);

/// Where the file of a bundled name lies, or would lie.
std::string library_path(const LibraryFolder& folder, const std::string& name);

/// The file of a bundled name; or, where `name_or_path` holds a '/' or ends with the folder's extension, that path:
/// as seen from the folder of `named_in` (the file that names it), else from the working folder. Throws UserError at
/// `where` for an unknown name.
std::string library_file(const LibraryFolder& folder, const std::string& name_or_path, const Place& where,
                         const std::string& named_in);

}  // namespace servecast
