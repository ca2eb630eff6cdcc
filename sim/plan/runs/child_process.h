#pragma once
#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace servecast {

/// A program to run as a child: SimGrid allows one simulation per process, so several simulations are several
/// processes.
struct ChildCommand {
  std::vector<std::string> words;    // the program's path first
  std::filesystem::path output;      // what it writes to stdout
  std::filesystem::path complaints;  // and to stderr
};

/// Runs them all, at most `at_a_time` together, and returns their exit statuses (128 + signal where one was ended).
/// Throws UserError where a program cannot be started.
std::vector<int> run_children(std::span<const ChildCommand> commands, std::size_t at_a_time);

/// The program named `name` that lies beside this one.
std::string sibling_program(const std::string& name);

/// How many children make sense: the processors of this machine.
std::size_t processors();

/// A new folder for passing files, removed with all in it at the end.
class ScratchFolder {
 public:
  ScratchFolder();
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(const std::string& name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace servecast
