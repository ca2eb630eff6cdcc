#pragma once
#include <map>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace servecast {

/// What can stand where a command or an option wants a value.
struct Completion {
  enum class Kind { words, files, folders, nothing };
  Kind kind = Kind::nothing;
  std::vector<std::string> words{};
};

struct CompletedOption {
  std::vector<std::string> names;  // "-o", "--out"
  std::string help;
  bool takes_value = false;
  Completion value{};
};

struct CompletedCommand {
  std::string path;  // "trace info"; empty for the program itself
  std::string help;
  std::vector<std::string> commands{};  // that may follow
  std::vector<CompletedOption> options{};
  Completion argument{};  // words that are no options
};

/// All commands of the program, from the same tree that reads its command line. `named` says what can be given where
/// help shows a type, such as PATH=VALUE, that does not say so itself.
std::vector<CompletedCommand> completed_commands(const CLI::App& root,
                                                 const std::map<std::string, std::vector<std::string>>& named);

}  // namespace servecast
