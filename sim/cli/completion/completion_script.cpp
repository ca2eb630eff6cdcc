#include "sim/cli/completion/completion_script.h"

#include <fmt/format.h>

#include <map>

#include "models/base/escaped.h"
#include "models/base/names.h"

namespace servecast {
namespace {

using Kind = Completion::Kind;

std::string_view kind_word(Kind kind) {
  return kind == Kind::files ? "files" : kind == Kind::folders ? "folders" : "words";
}

/// bash and zsh read `case` alike, so they share these two functions. The first finds the command among the words
/// typed so far; the second says what may come next, in _servecast_kind and _servecast_words.
std::string shell_tables(std::span<const CompletedCommand> commands) {
  std::string known;
  std::string values;
  std::string arguments;
  for (const CompletedCommand& command : commands) {
    if (!command.path.empty()) known += (known.empty() ? "" : "|") + shell_word(command.path);
    std::vector<std::string> options;
    for (const CompletedOption& option : command.options) {
      options.insert(options.end(), option.names.begin(), option.names.end());
      if (!option.takes_value) continue;
      for (const std::string& name : option.names)
        values += fmt::format("    {}) _servecast_kind={}; _servecast_words={}; return ;;\n",
                              shell_word(command.path + ":" + name), kind_word(option.value.kind),
                              shell_word(join(option.value.words, " ")));
    }
    std::vector<std::string> words = command.argument.words;
    words.insert(words.end(), command.commands.begin(), command.commands.end());
    arguments +=
        fmt::format("    {})\n      _servecast_options={}\n      _servecast_kind={}; _servecast_words={} ;;\n",
                    shell_word(command.path), shell_word(join(options, " ")), kind_word(command.argument.kind),
                    shell_word(join(words, " ")));
  }
  return "_servecast_find() {\n"
         "  local word\n"
         "  _servecast_command=''\n"
         "  for word in \"$@\"; do\n"
         "    case \"${_servecast_command:+$_servecast_command }$word\" in\n"
         "      " +
         known +
         ") _servecast_command=\"${_servecast_command:+$_servecast_command }$word\" ;;\n"
         "    esac\n"
         "  done\n"
         "}\n"
         "_servecast_next() {  # command, word before, word so far\n"
         "  case \"$1:$2\" in\n" +
         values +
         "  esac\n"
         "  case \"$1\" in\n" +
         arguments +
         "  esac\n"
         "  case \"$3\" in\n"
         "    -*) _servecast_kind=words; _servecast_words=$_servecast_options ;;\n"
         "  esac\n"
         "}\n";
}

// bash cuts words at '=' too, so the part up to the last one is taken off what it is offered.
constexpr std::string_view bash_glue = R"(_servecast() {
  local _servecast_command _servecast_kind _servecast_words _servecast_options
  local line="${COMP_LINE:0:COMP_POINT}" typed current previous last
  read -ra typed <<< "$line"
  [[ "$line" == *[[:space:]] ]] && typed+=("")
  last=$((${#typed[@]} - 1))
  current="${typed[last]}"
  previous="${typed[last - 1]}"
  _servecast_find "${typed[@]:1:last-1}"
  _servecast_next "$_servecast_command" "$previous" "$current"
  case "$_servecast_kind" in
    files) mapfile -t COMPREPLY < <(compgen -f -- "$current"); compopt -o filenames ;;
    folders) mapfile -t COMPREPLY < <(compgen -d -- "$current"); compopt -o filenames ;;
    *) mapfile -t COMPREPLY < <(compgen -W "$_servecast_words" -- "$current") ;;
  esac
  [[ ${#COMPREPLY[@]} -eq 1 && "${COMPREPLY[0]}" == *= ]] && compopt -o nospace
  if [[ "$current" == *=* && "$COMP_WORDBREAKS" == *=* ]]; then
    COMPREPLY=("${COMPREPLY[@]#"${current%=*}="}")
  fi
}
complete -F _servecast servecast
)";

constexpr std::string_view zsh_glue = R"(_servecast() {
  local _servecast_command _servecast_kind _servecast_words _servecast_options
  _servecast_find "${(@)words[2,CURRENT-1]}"
  _servecast_next "$_servecast_command" "${words[CURRENT-1]}" "${words[CURRENT]}"
  case "$_servecast_kind" in
    files) _files ;;
    folders) _files -/ ;;
    *)
      local -a open closed
      open=(${(M)${=_servecast_words}:#*=})
      closed=(${${=_servecast_words}:#*=})
      compadd -- $closed
      compadd -S '' -- $open ;;
  esac
}
if [[ "${funcstack[1]}" == "_servecast" ]]; then
  _servecast "$@"
else
  compdef _servecast servecast
fi
)";

/// The condition under which fish offers what may follow a command.
std::string fish_condition(const CompletedCommand& command) {
  std::string seen;
  std::string word;
  for (const char c : command.path + " ") {
    if (c != ' ') {
      word += c;
    } else if (!word.empty()) {
      seen += (seen.empty() ? "" : "; and ") + std::string("__fish_seen_subcommand_from ") + word;
      word.clear();
    }
  }
  if (command.commands.empty()) return seen;
  return seen + (seen.empty() ? "" : "; and ") + "not __fish_seen_subcommand_from " + join(command.commands, " ");
}

std::string fish_value(const Completion& value) {
  if (value.kind == Kind::files) return " -r -F";
  if (value.kind == Kind::folders) return " -x -a '(__fish_complete_directories)'";
  return " -x" + (value.words.empty() ? "" : " -a " + shell_word(join(value.words, " ")));
}

std::string fish_option(const CompletedOption& option) {
  std::string text;
  for (const std::string& name : option.names)
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  return text + (option.takes_value ? fish_value(option.value) : "") + " -d " + shell_word(option.help);
}

}  // namespace

std::string bash_completion(std::span<const CompletedCommand> commands) {
  return "# bash completion for servecast, written by `servecast completion bash`\n" + shell_tables(commands) +
         std::string(bash_glue);
}

std::string zsh_completion(std::span<const CompletedCommand> commands) {
  return "#compdef servecast\n# zsh completion for servecast, written by `servecast completion zsh`\n" +
         shell_tables(commands) + std::string(zsh_glue);
}

std::string fish_completion(std::span<const CompletedCommand> commands) {
  std::map<std::string, std::string> help;
  for (const CompletedCommand& command : commands) help[command.path] = command.help;
  std::string text =
      "# fish completion for servecast, written by `servecast completion fish`\ncomplete -c servecast -f\n";
  for (const CompletedCommand& command : commands) {
    const std::string start = "complete -c servecast -n " + shell_word(fish_condition(command));
    for (const std::string& word : command.commands) {
      const std::string path = command.path + (command.path.empty() ? "" : " ") + word;
      text += start + " -a " + word + " -d " + shell_word(help.at(path)) + "\n";
    }
    for (const CompletedOption& option : command.options) text += start + fish_option(option) + "\n";
    if (command.argument.kind == Kind::files) text += start + " -F\n";
    if (!command.argument.words.empty())
      text += start + " -a " + shell_word(join(command.argument.words, " ")) + "\n";
  }
  return text;
}

}  // namespace servecast
