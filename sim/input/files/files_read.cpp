#include "sim/input/files/files_read.h"

#include <algorithm>
#include <cassert>

namespace servecast {
namespace {

// The one thing that is not handed down: every reader of a file, however deep, would have to pass it on.
FilesRead* watching = nullptr;

}  // namespace

FilesRead::FilesRead() {
  assert(watching == nullptr);
  watching = this;
}

FilesRead::~FilesRead() { watching = nullptr; }

void FilesRead::note(const std::string& file) {
  if (watching == nullptr) return;
  std::vector<std::string>& files = watching->files_;
  if (std::ranges::find(files, file) == files.end()) files.push_back(file);
}

}  // namespace servecast
