#include "sim/report/files/left_behind.h"

#include <signal.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <vector>

namespace servecast {

namespace fs = std::filesystem;

namespace {

bool alive(pid_t pid) { return ::kill(pid, 0) == 0 || errno != ESRCH; }

}  // namespace

std::string name_of_this_process(const std::string& stem) { return stem + std::to_string(::getpid()); }

bool left_behind(const std::string& name, const std::string& stem) {
  if (!name.starts_with(stem)) return false;
  pid_t pid = 0;
  const char* end = name.data() + name.size();
  const auto [rest, error] = std::from_chars(name.data() + stem.size(), end, pid);
  return error == std::errc{} && rest == end && pid > 0 && (pid == ::getpid() || !alive(pid));
}

void remove_left_behind(const fs::path& folder, const std::string& stem) {
  std::error_code ignored;  // what cannot be removed does no harm
  std::vector<fs::path> found;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder.empty() ? "." : folder, ignored))
    if (left_behind(entry.path().filename().string(), stem) && entry.is_regular_file(ignored))
      found.push_back(entry.path());
  for (const fs::path& file : found) fs::remove(file, ignored);
}

}  // namespace servecast
