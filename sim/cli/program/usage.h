#pragma once
#include <string>

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace servecast {

/// What is wrong with the command line, in one line that names what would be right.
std::string usage_message(const CLI::App& root, const CLI::ParseError& error);

/// The command that the words asked for; the root itself where they named none.
const CLI::App& chosen_command(const CLI::App& root);

/// "servecast trace info"
std::string full_name(const CLI::App& app);

}  // namespace servecast
