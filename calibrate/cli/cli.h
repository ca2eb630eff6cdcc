#pragma once
#include <string>
#include <vector>

namespace servecast {

struct Console;

/// All of `servecast-calibrate`: reads the arguments after the program's name, runs a command, returns the exit
/// status.
int run_calibrate(const std::vector<std::string>& arguments, Console& console);

}  // namespace servecast
