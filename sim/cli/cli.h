#pragma once
#include <string>
#include <vector>

namespace servecast {

struct Console;

/// The whole program: `arguments` are the words after its name. Returns the exit status: 0 fine, 2 the user's
/// mistake, 1 ours.
int run_cli(const std::vector<std::string>& arguments, Console& console);

}  // namespace servecast
