#include "sim/reproduce/probes/public_traces.h"

#include <algorithm>
#include <filesystem>
#include <vector>

namespace servecast {

std::string PublicTraces::find(const std::string& name) const {
  namespace fs = std::filesystem;
  if (folder_.empty()) return {};
  std::vector<fs::path> folders{folder_};
  for (const fs::directory_entry& entry : fs::directory_iterator(folder_))
    if (entry.is_directory()) folders.push_back(entry.path());
  std::ranges::sort(folders);
  for (const fs::path& folder : folders)
    for (const char* ending : {"", ".gz"})
      if (const fs::path file = folder / (name + ending); fs::exists(file)) return fs::absolute(file).string();
  return {};
}

}  // namespace servecast
