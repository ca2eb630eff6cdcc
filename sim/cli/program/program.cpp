#include "sim/cli/program/program.h"

#include <CLI/CLI.hpp>
#include <exception>
#include <filesystem>
#include <map>

#include "models/base/error.h"
#include "models/base/escaped.h"
#include "servecast_version.h"
#include "sim/cli/program/command.h"
#include "sim/cli/program/console.h"
#include "sim/cli/program/usage.h"

namespace servecast {
namespace {

constexpr int fine = 0;
constexpr int our_mistake = 1;
constexpr int users_mistake = 2;

using Commands = std::map<const CLI::App*, std::unique_ptr<Command>>;

CLI::App& group(const Program& program, CLI::App& root, const std::string& name) {
  if (name.empty()) return root;
  for (CLI::App* there : root.get_subcommands([](const CLI::App*) { return true; }))
    if (there->get_name() == name) return *there;
  CLI::App* made = root.add_subcommand(name, program.group_help);
  made->require_subcommand(1);
  return *made;
}

Commands declare(const Program& program, CLI::App& root) {
  root.set_version_flag("--version", program.name + (" " + std::string(version)), "Print the version and exit");
  root.set_help_flag("-h,--help", "Print this help and exit");
  root.require_subcommand(1);
  root.get_formatter()->column_width(34);
  Commands commands;
  for (const CommandEntry& entry : program.commands) {
    CLI::App* app = group(program, root, entry.group).add_subcommand(entry.name, entry.help);
    commands[app] = entry.make();
    commands[app]->declare(*app);
  }
  root.footer(program.footer);  // last, or groups of commands would take over its examples
  return commands;
}

void print_problems(const Program& program, const UserError& error, std::ostream& err) {
  for (const Problem& problem : error.problems())
    err << (problem.place.file.empty() ? std::string(program.name) + ": " : "") << visible(to_string(problem))
        << "\n";
}

int parse_and_run(const Program& program, const std::vector<std::string>& arguments, Console& console) {
  CLI::App root(program.help, program.name);
  const Commands commands = declare(program, root);
  std::vector<std::string> last_first(arguments.rbegin(), arguments.rend());  // as CLI11 wants them
  try {
    root.parse(last_first);
  } catch (const CLI::Success& asked) {  // --help, --version
    root.exit(asked, console.out, console.err);
    return fine;
  } catch (const CLI::ParseError& error) {
    console.err << visible(usage_message(root, error)) << "\n";
    return users_mistake;
  }
  return commands.at(&chosen_command(root))->run(console);
}

}  // namespace

int run_program(const Program& program, const std::vector<std::string>& arguments, Console& console) {
  try {
    const int status = parse_and_run(program, arguments, console);
    console.out.flush();
    if (!console.out) throw UserError("the output cannot be written; is the disk full?");
    return status;
  } catch (const UserError& error) {
    print_problems(program, error, console.err);
    return users_mistake;
  } catch (const std::filesystem::filesystem_error& error) {  // e.g. a circle of symbolic links
    const std::string path = error.path1().empty() ? std::string(program.name) : error.path1().string();
    console.err << path << ": " << error.code().message() << "\n";
    return users_mistake;
  } catch (const std::exception& error) {
    console.err << program.name << ": internal error: " << visible(error.what()) << "\n";
    return our_mistake;
  }
}

}  // namespace servecast
