#pragma once
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace servecast {

class Command;
struct Console;

/// One command of a program.
struct CommandEntry {
  const char* group;  // "trace" for `servecast trace info`; empty at the top
  const char* name;
  const char* help;
  std::unique_ptr<Command> (*make)();
  bool names_policies = false;  // takes --plugin
};

/// A program of commands: what its --help says.
struct Program {
  const char* name;
  const char* help;
  const char* group_help;  // of commands in a group
  const char* footer;
  std::span<const CommandEntry> commands;  // in the order of --help
};

/// What main() does: 0 fine, 2 a mistake in the input, 1 a fault of the program.
int run_program(const Program& program, const std::vector<std::string>& arguments, Console& console);

}  // namespace servecast
