#include "sim/cli/program/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "servecast_version.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/options.h"
#include "sim/cli/program/problem_json.h"
#include "sim/cli/program/usage.h"
#include "sim/input/plugins/plugin.h"

namespace servecast {
namespace {

constexpr int fine = 0;
constexpr int our_mistake = 1;
constexpr int users_mistake = 2;
constexpr const char* problems_option = "--problems";

using Commands = std::map<const CLI::App*, std::unique_ptr<Command>>;

CLI::App& group(const Program& program, CLI::App& root, const std::string& name) {
  if (name.empty()) return root;
  for (CLI::App* there : root.get_subcommands([](const CLI::App*) { return true; }))
    if (there->get_name() == name) return *there;
  CLI::App* made = root.add_subcommand(name, program.group_help);
  made->require_subcommand(1);
  return *made;
}

Commands declare(const Program& program, CLI::App& root, std::vector<std::string>& plugins) {
  root.set_version_flag("--version", program.name + (" " + std::string(version)), "Print the version and exit");
  root.set_help_flag("-h,--help", "Print this help and exit");
  root.require_subcommand(1);
  root.get_formatter()->column_width(34);
  Commands commands;
  for (const CommandEntry& entry : program.commands) {
    CLI::App* app = group(program, root, entry.group).add_subcommand(entry.name, entry.help);
    commands[app] = entry.make();
    commands[app]->declare(*app);
    if (entry.names_policies) add_plugins(*app, plugins);
  }
  root.footer(program.footer);  // last, or groups of commands would take over its examples
  return commands;
}

/// Tells what went wrong, a line for each problem: for a person, or for a program (--problems json).
class Mistakes {
 public:
  Mistakes(const Program& program, std::ostream& err) : program_(program), err_(err) {}
  void use(const std::string& format) { json_ = format == "json"; }

  void tell(const Problem& problem) const {
    if (json_)
      err_ << visible_json(
                  problem_json(problem).dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace))
           << "\n";
    else
      err_ << (problem.place.file.empty() ? std::string(program_.name) + ": " : "") << visible(to_string(problem))
           << "\n";
  }
  /// Text that stands for itself where a person reads.
  void tell(const std::string& text) const {
    if (json_) return tell(Problem{.place = {}, .path = {}, .message = text});
    err_ << visible(text) << "\n";
  }

 private:
  const Program& program_;
  std::ostream& err_;
  bool json_ = false;
};

/// The word of --problems, also where the rest of the command line is wrong.
std::string problem_format(const CLI::App& root) {
  const std::vector<std::string>& words = root.get_option(problems_option)->results();
  return words.empty() ? "" : words.back();
}

int parse_and_run(const Program& program, const std::vector<std::string>& arguments, Console& console,
                  Mistakes& mistakes) {
  CLI::App root(program.help, program.name);
  std::string problems = "text";
  add_choice(root, problems_option, problems, "format", {"text", "json"},
             "How mistakes are reported (text); json: one object per line");
  std::vector<std::string> plugins;
  const Commands commands = declare(program, root, plugins);
  std::vector<std::string> last_first(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    root.parse(last_first);
  } catch (const CLI::Success& asked) {  // --help, --version
    root.exit(asked, console.out, console.err);
    return fine;
  } catch (const CLI::ParseError& error) {
    mistakes.use(problem_format(root));
    mistakes.tell(usage_message(root, error));
    return users_mistake;
  }
  mistakes.use(problems);
  for (const std::string& plugin : plugins) load_plugin_for_all(plugin);
  return commands.at(&chosen_command(root))->run(console);
}

}  // namespace

int run_program(const Program& program, const std::vector<std::string>& arguments, Console& console) {
  Mistakes mistakes(program, console.err);
  try {
    const int status = parse_and_run(program, arguments, console, mistakes);
    console.out.flush();
    if (!console.out) throw UserError("the output cannot be written; is the disk full?");
    return status;
  } catch (const UserError& error) {
    for (const Problem& problem : error.problems()) mistakes.tell(problem);
    return users_mistake;
  } catch (const std::filesystem::filesystem_error& error) {  // e.g. a circle of symbolic links
    const std::string path = error.path1().empty() ? std::string(program.name) : error.path1().string();
    mistakes.tell(path + ": " + error.code().message());
    return users_mistake;
  } catch (const std::exception& error) {
    mistakes.tell(std::string(program.name) + ": internal error: " + error.what());
    for (const Plugin& plugin : loaded_plugins())
      mistakes.tell(std::string(program.name) + ": a policy of a plug-in was loaded and may be the cause: " +
                    words(plugin) + "; 'servecast contract --plugin " + shell_word(plugin.file) + "' checks it");
    return our_mistake;
  }
}

}  // namespace servecast
