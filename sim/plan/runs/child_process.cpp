#include "sim/plan/runs/child_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <deque>

#include "models/base/error.h"

namespace servecast {
namespace {

namespace fs = std::filesystem;

pid_t start(const ChildCommand& command) {
  std::vector<std::string> words = command.words;
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  constexpr int flags = O_WRONLY | O_CREAT | O_TRUNC;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, command.output.c_str(), flags, 0600);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, command.complaints.c_str(), flags, 0600);
  pid_t child = 0;
  const int error = posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw UserError("'" + words[0] + "' cannot be started: " + std::strerror(error));
  return child;
}

int wait_for(pid_t child) {
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

std::vector<int> run_children(std::span<const ChildCommand> commands, std::size_t at_a_time) {
  std::vector<int> statuses;
  std::deque<pid_t> running;
  const auto wait_for_oldest = [&] {
    statuses.push_back(wait_for(running.front()));
    running.pop_front();
  };
  for (const ChildCommand& command : commands) {
    if (running.size() >= std::max<std::size_t>(1, at_a_time)) wait_for_oldest();
    running.push_back(start(command));
  }
  while (!running.empty()) wait_for_oldest();
  return statuses;
}

std::string sibling_program(const std::string& name) {
  return (fs::read_symlink("/proc/self/exe").parent_path() / name).string();
}

std::size_t processors() { return static_cast<std::size_t>(std::max(1L, sysconf(_SC_NPROCESSORS_ONLN))); }

ScratchFolder::ScratchFolder() {
  std::string pattern = (fs::temp_directory_path() / "servecast_XXXXXX").string();
  if (!mkdtemp(pattern.data())) throw UserError("no folder can be made in " + fs::temp_directory_path().string());
  path_ = pattern;
}

ScratchFolder::~ScratchFolder() {
  std::error_code left_behind;
  fs::remove_all(path_, left_behind);
}

}  // namespace servecast
