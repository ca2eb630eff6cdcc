#include "sim/cli/output/added_files.h"

#include <algorithm>
#include <filesystem>

#include "models/base/names.h"
#include "sim/input/library/library.h"
#include "sim/input/plugins/plugin.h"
#include "sim/plan/runs/run_key.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

/// Empty: it brings nothing, such as a trace.
std::string brought_by(const std::string& file) {
  for (const Plugin& plugin : loaded_plugins())
    if (plugin.file == file) return join(plugin.policies, ", ");
  return own_entry(file);
}

}  // namespace

std::vector<AddedFile> added_files(std::span<const std::string> read, FileDigests& digests) {
  std::vector<AddedFile> added;
  for (const std::string& name : read) {
    std::error_code missing;
    const std::string file = fs::canonical(name, missing).string();
    if (missing) continue;  // that it is not there was of interest
    const std::string brings = brought_by(file);
    const bool known = std::ranges::find(added, file, &AddedFile::file) != added.end();
    if (!brings.empty() && !known) added.push_back({.file = file, .sha256 = digests.of(file), .brings = brings});
  }
  return added;
}

}  // namespace servecast
