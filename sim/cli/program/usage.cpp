#include "sim/cli/program/usage.h"

#include <CLI/CLI.hpp>
#include <vector>

#include "models/base/names.h"

namespace servecast {
namespace {

std::vector<std::string> command_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::App* command : app.get_subcommands([](const CLI::App*) { return true; }))
    names.push_back(command->get_name());
  return names;
}

std::vector<std::string> option_names(const CLI::App& app) {
  std::vector<std::string> names;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

/// A word that nothing wants: a misspelt command or option, or one too many.
std::string unwanted(const CLI::App& app, const std::string& word) {
  if (word.starts_with('-')) return unknown_name("option", word.substr(0, word.find('=')), option_names(app));
  if (const auto commands = command_names(app); !commands.empty()) return unknown_name("command", word, commands);
  return "'" + word + "' is one word too many";
}

}  // namespace

const CLI::App& chosen_command(const CLI::App& root) {
  const CLI::App* app = &root;
  while (!app->get_subcommands().empty()) app = app->get_subcommands().front();
  return *app;
}

std::string full_name(const CLI::App& app) {
  return app.get_parent() ? full_name(*app.get_parent()) + " " + app.get_name() : app.get_name();
}

std::string usage_message(const CLI::App& root, const CLI::ParseError& error) {
  const CLI::App& app = chosen_command(root);
  std::string what = error.what();
  if (const auto words = root.remaining(true); !words.empty())
    what = unwanted(app, words.front());
  else if (app.get_require_subcommand_min() > 0)  // plan has a command below it, but needs none
    what = "name a command: " + join(command_names(app));
  return full_name(app) + ": " + what + "; see '" + full_name(app) + " --help'";
}

}  // namespace servecast
