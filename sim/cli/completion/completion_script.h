#pragma once
#include <span>
#include <string>

#include "sim/cli/completion/completion_model.h"

namespace servecast {

std::string bash_completion(std::span<const CompletedCommand> commands);
std::string zsh_completion(std::span<const CompletedCommand> commands);
std::string fish_completion(std::span<const CompletedCommand> commands);

}  // namespace servecast
