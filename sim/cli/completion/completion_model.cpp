#include "sim/cli/completion/completion_model.h"

#include <CLI/CLI.hpp>
#include <sstream>

namespace servecast {
namespace {

using Named = std::map<std::string, std::vector<std::string>>;

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> words;
  std::istringstream in(text);
  for (std::string word; std::getline(in, word, at);) words.push_back(word);
  return words;
}

/// From the type that help shows: "FILE", "DIR", "text|json" or one of `named`.
Completion completion_of(const CLI::Option& option, const Named& named) {
  const std::string type = option.get_type_name();
  if (type == "FILE") return {.kind = Completion::Kind::files};
  if (type == "DIR") return {.kind = Completion::Kind::folders};
  if (const auto known = named.find(type); known != named.end())
    return {.kind = Completion::Kind::words, .words = known->second};
  if (type.find('|') != std::string::npos) return {.kind = Completion::Kind::words, .words = split(type, '|')};
  return {};
}

CompletedOption completed(const CLI::Option& option, const Named& named) {
  CompletedOption out{.names = {}, .help = option.get_description(), .takes_value = option.get_expected_max() > 0};
  for (const std::string& name : option.get_snames()) out.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) out.names.push_back("--" + name);
  if (out.takes_value) out.value = completion_of(option, named);
  return out;
}

void add_command(const CLI::App& app, const std::string& path, const Named& named,
                 std::vector<CompletedCommand>& all) {
  CompletedCommand command{.path = path, .help = app.get_description()};
  for (const CLI::Option* option : app.get_options()) {
    if (!option->get_positional())
      command.options.push_back(completed(*option, named));
    else if (command.argument.kind == Completion::Kind::nothing)  // of several arguments the first is offered
      command.argument = completion_of(*option, named);
  }
  const auto below = app.get_subcommands([](const CLI::App*) { return true; });
  for (const CLI::App* sub : below) command.commands.push_back(sub->get_name());
  all.push_back(std::move(command));
  for (const CLI::App* sub : below) add_command(*sub, path + (path.empty() ? "" : " ") + sub->get_name(), named, all);
}

}  // namespace

std::vector<CompletedCommand> completed_commands(const CLI::App& root, const Named& named) {
  std::vector<CompletedCommand> all;
  add_command(root, "", named, all);
  return all;
}

}  // namespace servecast
