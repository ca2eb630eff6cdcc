#include "sim/report/files/replace_folder.h"

#include <fcntl.h>
#include <stdio.h>

namespace servecast {

namespace fs = std::filesystem;

bool exchange_folders(const fs::path& fresh, const fs::path& dir) {
  return ::renameat2(AT_FDCWD, fresh.c_str(), AT_FDCWD, dir.c_str(), RENAME_EXCHANGE) == 0;
}

void replace_stepwise(const fs::path& fresh, const fs::path& dir, const fs::path& aside) {
  fs::rename(dir, aside);
  try {
    fs::rename(fresh, dir);
  } catch (const fs::filesystem_error&) {
    fs::rename(aside, dir);
    throw;
  }
  fs::remove_all(aside);
}

void replace_folder(const fs::path& fresh, const fs::path& dir, const fs::path& aside) {
  if (!fs::exists(dir))
    fs::rename(fresh, dir);
  else if (!exchange_folders(fresh, dir))
    replace_stepwise(fresh, dir, aside);
}

}  // namespace servecast
